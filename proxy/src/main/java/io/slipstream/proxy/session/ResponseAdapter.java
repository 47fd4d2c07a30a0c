// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.concurrent.CompletableFuture;

/**
 * Changes responses so that clients see the proxy instead of the brokers: addresses, and usable versions. Thread-safe.
 */
public interface ResponseAdapter {
    /** Whether responses of this API and version may be changed or learned from; all others are forwarded unread. */
    boolean adapts(short apiKey, short apiVersion);

    /**
     * @param replacement sent instead of the payload, without size prefix, owned by the caller; null: the payload is
     *     sent
     * @param served if not null, a broker named in the response is not reachable here yet and the replacement leaves it
     *     out; when this completes, adapt the payload again, and send that result in any case
     */
    record Adapted(ByteBuf replacement, CompletableFuture<Void> served) {
        /** Send the payload now. */
        public static final Adapted UNCHANGED = new Adapted(null, null);
    }

    /**
     * @param payload the response from its header on, from reader to writer index; its indexes stay, its bytes may
     *     change
     * @param client its address may be the one that the response gives for brokers
     * @throws RuntimeException if the response cannot be decoded; it must not be sent to the client
     */
    Adapted adapt(short apiKey, short apiVersion, ByteBuf payload, Channel client);
}
