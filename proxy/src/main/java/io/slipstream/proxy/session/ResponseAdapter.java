// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.CompletableFuture;

/**
 * Changes responses where a client must see the proxy instead of the brokers: addresses, and the versions it may use.
 * Thread-safe.
 */
public interface ResponseAdapter {
    /** Whether responses of this API and version are ever changed or learned from; all others pass unread. */
    boolean adapts(short apiKey, short apiVersion);

    /**
     * @param replacement what to send instead of the payload, without size prefix, owned by the caller; null to send
     *     the payload as it is
     * @param served if not null: a broker named in the response cannot be reached here yet; when this completes, adapt
     *     the payload again, and send what comes then whatever it says
     */
    record Adapted(ByteBuf replacement, CompletableFuture<Void> served) {
        /** Send the payload, now. */
        public static final Adapted UNCHANGED = new Adapted(null, null);
    }

    /**
     * @param payload the response from its header on, from reader to writer index; its indexes are not changed, its
     *     bytes may be
     * @throws RuntimeException if the response cannot be decoded; the client must not see it then
     */
    Adapted adapt(short apiKey, short apiVersion, ByteBuf payload, ByteBufAllocator allocator);
}
