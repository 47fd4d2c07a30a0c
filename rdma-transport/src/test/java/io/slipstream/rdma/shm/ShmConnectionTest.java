// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.slipstream.rdma.contract.ConnectionContract;
import io.slipstream.rdma.contract.ProviderFixture;

class ShmConnectionTest extends ConnectionContract {
    @Override
    protected ProviderFixture openFixture() throws Exception {
        return new ShmFixture();
    }
}
