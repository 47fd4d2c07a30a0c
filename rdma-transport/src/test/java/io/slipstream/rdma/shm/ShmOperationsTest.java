package io.slipstream.rdma.shm;

import io.slipstream.rdma.contract.OperationsContract;
import io.slipstream.rdma.contract.ProviderFixture;

class ShmOperationsTest extends OperationsContract {
    @Override
    protected ProviderFixture openFixture() throws Exception {
        return new ShmFixture();
    }
}
