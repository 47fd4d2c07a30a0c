// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.slipstream.rdma.contract.ProviderFixture;
import io.slipstream.rdma.contract.SharedRegionContract;

class ShmSharedRegionTest extends SharedRegionContract {
    @Override
    protected ProviderFixture openFixture() throws Exception {
        return new ShmFixture();
    }
}
