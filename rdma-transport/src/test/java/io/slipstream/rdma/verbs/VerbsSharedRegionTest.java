// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.contract.ProviderFixture;
import io.slipstream.rdma.contract.SharedRegionContract;

@NeedsRdmaDevice
class VerbsSharedRegionTest extends SharedRegionContract {
    @Override
    protected ProviderFixture openFixture() throws Exception {
        return new VerbsFixture();
    }
}
