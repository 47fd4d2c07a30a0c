// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.spi;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.function.Consumer;

/** Opens the fast path of client connections; one instance for the proxy, safe from any event loop. */
public interface FastPathFactory extends AutoCloseable {
    FastPath open(ClientConnection connection);

    /**
     * A broker became known: sets up ahead of its first client what that client would otherwise wait for. Any thread;
     * returns at once.
     */
    default void prepare(EventLoop loop, String clusterId, int nodeId) {}

    /** A broker advertises that host to clients, as of now; its plugin may be looked for there. Any thread. */
    default void brokerAt(int nodeId, String host) {}

    /** What of RDMA is in use or usable, in words for an operator. Any thread. */
    default String describe() {
        return "none";
    }

    /** The run-time switch: false sends everything over TCP from now on, without closing connections. */
    void setEnabled(boolean enabled);

    boolean isEnabled();

    @Override
    void close();

    /** What the fast path needs of the session. Confined to the event loop. */
    interface ClientConnection {
        EventLoop eventLoop();

        /** Broker behind this connection; -1 while unknown (a bootstrap connection): then nothing is accelerated. */
        int nodeId();

        /** Cluster id; null while unknown. */
        String clusterId();

        /** What the client said in its own ApiVersions, or {@code unknown}. */
        String clientSoftwareName();

        String clientSoftwareVersion();

        /**
         * Sends a request of the proxy's own on the client's upstream connection, behind what is already there, and
         * gives its response (header on, without size; released after the call) to {@code onResponse}, or null if the
         * upstream was lost. Takes ownership of {@code frame} (header on, without size). Only legal once the client
         * itself may send ordinary requests.
         */
        void sendUpstream(ByteBuf frame, Consumer<ByteBuf> onResponse);

        /** Bytes and records that went by the fast path or fell back are counted by the session, not here. */
        void onMutedChanged();
    }
}
