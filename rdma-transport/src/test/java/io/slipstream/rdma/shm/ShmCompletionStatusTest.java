package io.slipstream.rdma.shm;

import io.slipstream.rdma.contract.CompletionStatusContract;
import io.slipstream.rdma.contract.ProviderFixture;

class ShmCompletionStatusTest extends CompletionStatusContract {
    @Override
    protected ProviderFixture openFixture() throws Exception {
        return new ShmFixture();
    }
}
