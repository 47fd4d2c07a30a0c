// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.spi;

/**
 * RDMA for one client connection; confined to its event loop. The session submits requests one after the other in
 * client order. Several Produce requests may be pending together (the fast path keeps their order), others only alone.
 * The session never submits a request while another one of the same connection is unanswered over TCP. A request that
 * falls back takes TCP when no other one is pending, and the session submits no later one before.
 */
public interface FastPath extends AutoCloseable {
    /** Accepts the request; answers it now or later. */
    void submit(PendingRequest request);

    /** Whether a request is submitted at once, without a binding first. */
    default boolean isBound() {
        return true;
    }

    /** Whether a request of this API may follow other requests over TCP without being submitted. */
    default boolean mayBePassedOver(short apiKey) {
        return true;
    }

    /** Whether the session stops submitting and reading: the broker throttles it, or much waits for its binding. */
    boolean isMuted();

    /**
     * The proxy is about to stop: Fetches that wait for records are answered with the available records, from now on.
     */
    default void stopWaiting() {}

    /**
     * The client connection or its upstream is closed; pending requests are cancelled and get no answer. Idempotent.
     */
    @Override
    void close();
}
