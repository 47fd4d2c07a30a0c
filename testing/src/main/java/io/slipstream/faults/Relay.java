// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Forwards bytes between clients and a server, so that a test can cut connections without privileges. Supports TCP and
 * Unix domain sockets. Safe for concurrent use.
 */
public final class Relay implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 * 1024;

    private final SocketAddress target;
    private final ServerSocketChannel server;
    private final Set<Passage> passages = ConcurrentHashMap.newKeySet();

    /** Listens at once; each connection checks for the target on its own. */
    Relay(SocketAddress listen, SocketAddress target) {
        this.target = target;
        try {
            server = listen instanceof UnixDomainSocketAddress
                    ? ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                    : ServerSocketChannel.open();
            server.bind(listen);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on " + listen, e);
        }
        start(this::accept, "relay-accept");
    }

    /** @param address local address to listen on; forwards to 127.0.0.1 with the same port */
    static Relay ofPort(String address, int port) {
        return new Relay(new InetSocketAddress(address, port), new InetSocketAddress("127.0.0.1", port));
    }

    public static Relay betweenSockets(Path listen, Path target) {
        return new Relay(UnixDomainSocketAddress.of(listen), UnixDomainSocketAddress.of(target));
    }

    /** The two ends of a connection. */
    private record Passage(SocketChannel near, SocketChannel far) {
        void close() {
            quietly(near);
            quietly(far);
        }
    }

    /** Closes all current connections and returns their number. New connections are accepted at once. */
    public int cut() {
        int count = 0;
        for (Passage passage : passages) {
            // A passage whose ends are closed may not be removed yet.
            if (passages.remove(passage)) {
                passage.close();
                count++;
            }
        }
        return count;
    }

    private void accept() {
        try {
            while (server.isOpen()) {
                SocketChannel near = server.accept();
                try {
                    Passage passage = new Passage(near, SocketChannel.open(target));
                    passages.add(passage);
                    start(() -> pump(passage, passage.near, passage.far), "relay-in");
                    start(() -> pump(passage, passage.far, passage.near), "relay-out");
                } catch (IOException nobodyListens) {
                    quietly(near);
                }
            }
        } catch (IOException closed) {
            // close() ends the relay.
        }
    }

    private void pump(Passage passage, SocketChannel from, SocketChannel to) {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        try {
            while (from.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
                buffer.clear();
            }
        } catch (IOException ended) {
            // One end is closed, so the connection ends.
        } finally {
            passages.remove(passage);
            passage.close();
        }
    }

    private static void start(Runnable body, String name) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void quietly(AutoCloseable channel) {
        try {
            channel.close();
        } catch (Exception gone) {
            // Nothing is left to close.
        }
    }

    @Override
    public void close() {
        quietly(server);
        cut();
    }
}
