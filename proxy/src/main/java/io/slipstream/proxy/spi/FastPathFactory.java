// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.spi;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.function.Consumer;

/**
 * Opens the fast path of client connections; one instance per proxy. Without overrides it is the provider {@code tcp}:
 * no RDMA, and no switching at run time. Thread-safe.
 */
public interface FastPathFactory extends AutoCloseable {
    /** Null if requests of this connection cannot use RDMA. */
    default FastPath open(ClientConnection connection) {
        return null;
    }

    /** A client came to a broker's port: sets up the link before its first request needs it. On its event loop. */
    default void prepare(ClientConnection connection) {}

    /** Sets the host that a broker advertises to clients now; its plugin is expected there. Any thread. */
    default void brokerAt(int nodeId, String host) {}

    /** Description of the RDMA devices in use or usable, for an operator. Any thread. */
    default String describe() {
        return "none";
    }

    /** The run-time switch: false sends all requests over TCP from now on, without closing connections. */
    default void setEnabled(boolean enabled) {}

    default boolean isEnabled() {
        return false;
    }

    @Override
    default void close() {}

    /** The session's services for the fast path. Confined to the event loop. */
    interface ClientConnection {
        EventLoop eventLoop();

        /** Broker of this connection; -1 while unknown (a bootstrap connection): no request is then accelerated. */
        int nodeId();

        /** Cluster id; null while unknown. */
        String clusterId();

        /**
         * Sends an ApiVersions request in the client's name, with the nonce, on the client's upstream connection, after
         * the requests sent before. Legal only once the client itself may send ordinary requests.
         *
         * @param onResponse receives the response (from the header on, without the size; released after the call), or
         *     null if the upstream was lost
         */
        void sendNonce(String nonce, Consumer<ByteBuf> onResponse);

        /** Has the session take its turn: {@link FastPath#isMuted} changed. */
        void mark();
    }
}
