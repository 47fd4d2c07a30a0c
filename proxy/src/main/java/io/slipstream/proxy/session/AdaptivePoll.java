// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import io.slipstream.rdma.AdaptiveSpin;

/** An event loop polls its sockets before it sleeps: a client that waits for an answer sends its next request soon. */
record AdaptivePoll(AdaptiveSpin spin) implements SelectStrategy {
    /** Number of ready descriptors, 0 to be called again at once, or SELECT to sleep until one is ready. */
    @Override
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        if (hasTasks) {
            return selectNow.get();
        }
        return spin.mayLook() ? spin.looked(selectNow.get()) : SELECT;
    }
}
