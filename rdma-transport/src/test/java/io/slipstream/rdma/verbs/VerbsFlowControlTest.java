// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.contract.FlowControlContract;
import io.slipstream.rdma.contract.ProviderFixture;

@NeedsRdmaDevice
class VerbsFlowControlTest extends FlowControlContract {
    @Override
    protected ProviderFixture openFixture() throws Exception {
        return new VerbsFixture();
    }
}
