// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.spi;

/**
 * RDMA for one client connection; confined to its event loop. The session hands over requests one after the other in
 * client order: Produce requests may be pending together (their effects are kept in order), a Fetch only alone. It
 * never hands over a request while one of the same connection is unanswered over TCP.
 */
public interface FastPath extends AutoCloseable {
    /** Whether a request of this API and version is worth offering. Cheap; called for each Produce and Fetch. */
    boolean accepts(short apiKey, short apiVersion);

    /** Takes the request; answers it now or later. */
    void submit(PendingRequest request);

    /** Whether a request of this API that finds others on their way over TCP may follow them without being offered. */
    default boolean mayBePassedOver(short apiKey) {
        return true;
    }

    /** RDMA mutes the client (broker-side throttling); the session stops handing over and reading while true. */
    boolean isMuted();

    /**
     * The proxy is about to stop: Fetches that wait for records are answered with what there is, now and from now on.
     */
    default void stopWaiting() {}

    /**
     * The client connection or its upstream is gone; pending requests are cancelled, nothing more is answered.
     * Idempotent.
     */
    @Override
    void close();
}
