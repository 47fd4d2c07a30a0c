// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.contract.ConnectionContract;
import io.slipstream.rdma.contract.ProviderFixture;

@NeedsRdmaDevice
class VerbsConnectionTest extends ConnectionContract {
    @Override
    protected ProviderFixture openFixture() throws Exception {
        return new VerbsFixture();
    }
}
