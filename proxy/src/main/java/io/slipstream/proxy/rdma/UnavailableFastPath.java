// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import io.slipstream.proxy.spi.FallbackReason;
import io.slipstream.proxy.spi.FastPath;
import io.slipstream.proxy.spi.PendingRequest;

/** The fast path of a connection without RDMA: accepts nothing, so all requests take TCP. */
final class UnavailableFastPath implements FastPath {
    @Override
    public boolean accepts(short apiKey, short apiVersion) {
        return false;
    }

    @Override
    public void submit(PendingRequest request) {
        request.fallBack(FallbackReason.DISABLED);
    }

    @Override
    public boolean isMuted() {
        return false;
    }

    @Override
    public void close() {
        // It has no resources.
    }
}
