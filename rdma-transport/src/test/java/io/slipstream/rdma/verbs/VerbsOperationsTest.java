// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.contract.OperationsContract;
import io.slipstream.rdma.contract.ProviderFixture;

@NeedsRdmaDevice
class VerbsOperationsTest extends OperationsContract {
    @Override
    protected ProviderFixture openFixture() throws Exception {
        return new VerbsFixture();
    }
}
