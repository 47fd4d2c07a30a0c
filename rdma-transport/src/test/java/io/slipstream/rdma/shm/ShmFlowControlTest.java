// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.slipstream.rdma.contract.FlowControlContract;
import io.slipstream.rdma.contract.ProviderFixture;

class ShmFlowControlTest extends FlowControlContract {
    @Override
    protected ProviderFixture openFixture() throws Exception {
        return new ShmFixture();
    }
}
