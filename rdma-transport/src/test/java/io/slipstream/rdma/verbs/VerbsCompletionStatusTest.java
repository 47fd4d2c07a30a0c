// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.contract.CompletionStatusContract;
import io.slipstream.rdma.contract.ProviderFixture;

@NeedsRdmaDevice
class VerbsCompletionStatusTest extends CompletionStatusContract {
    @Override
    protected ProviderFixture openFixture() throws Exception {
        return new VerbsFixture();
    }
}
