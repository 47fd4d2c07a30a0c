// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.contract.ProviderFixture;
import io.slipstream.rdma.contract.WakeUpContract;

@NeedsRdmaDevice
class VerbsWakeUpTest extends WakeUpContract {
    @Override
    protected ProviderFixture openFixture() throws Exception {
        return new VerbsFixture();
    }
}
