// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.slipstream.rdma.contract.ProviderFixture;
import io.slipstream.rdma.contract.WakeUpContract;

class ShmWakeUpTest extends WakeUpContract {
    @Override
    protected ProviderFixture openFixture() throws Exception {
        return new ShmFixture();
    }
}
