// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Two ends of one connection over a device of this machine, through the natives only. One thread uses both. */
final class NativePeers implements AutoCloseable {
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final int TIMEOUT_MS = 10_000;

    final NativeVerbs natives;
    final ByteBuffer event = ByteBuffer.allocateDirect(CmEvent.SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    final long serverChannel;
    final long clientChannel;
    final long listener;
    final int port;
    private final InetAddress address;
    NativeEnd server;
    NativeEnd client;

    NativePeers(NativeVerbs natives, InetAddress address) throws IOException {
        this.natives = natives;
        this.address = address;
        serverChannel = natives.createEventChannel();
        clientChannel = natives.createEventChannel();
        listener = natives.createId(serverChannel);
        natives.bindAddress(listener, address.getAddress(), scopeOf(address), 0);
        natives.listen(listener, 16);
        port = natives.localPort(listener);
    }

    /** A client's id with its queue pair, before connect. */
    NativeEnd resolve() throws IOException {
        long id = natives.createId(clientChannel);
        natives.resolveAddress(id, address.getAddress(), address.getAddress(), scopeOf(address), port, TIMEOUT_MS);
        await(clientChannel, CmEvent.ADDR_RESOLVED);
        natives.resolveRoute(id, TIMEOUT_MS);
        await(clientChannel, CmEvent.ROUTE_RESOLVED);
        natives.setAckTimeout(id, 14);
        return new NativeEnd(natives, id);
    }

    /** Asserts that the private data of each side arrives at the other side. */
    void connect() throws IOException {
        client = resolve();
        ByteBuffer data = privateData("hello from the client");
        natives.connect(client.id, data, data.limit(), 3, 3);
        await(serverChannel, CmEvent.CONNECT_REQUEST);
        assertThat(event.getLong(CmEvent.LISTEN_ID)).isEqualTo(listener);
        assertThat(receivedPrivateData()).startsWith("hello from the client");
        server = new NativeEnd(natives, event.getLong(CmEvent.ID));
        data = privateData("welcome");
        natives.accept(server.id, data, data.limit(), 3);
        await(clientChannel, CmEvent.ESTABLISHED);
        assertThat(receivedPrivateData()).startsWith("welcome");
        await(serverChannel, CmEvent.ESTABLISHED);
    }

    /**
     * Takes events of a channel until one of that type arrives. Other events, except those of the device, are errors.
     */
    void await(long channel, int type) throws IOException {
        long end = System.nanoTime() + DEADLINE_NS;
        while (System.nanoTime() < end) {
            if (natives.nextEvent(channel, 0, -1, 100, event) == CmEvent.CM) {
                assertThat(event.getInt(CmEvent.TYPE))
                        .as("event, status %d", event.getInt(CmEvent.STATUS))
                        .isEqualTo(type);
                return;
            }
        }
        throw new AssertionError("no event of type " + type);
    }

    String receivedPrivateData() {
        byte[] data = new byte[event.getInt(CmEvent.PRIVATE_DATA_BYTES)];
        event.get(CmEvent.PRIVATE_DATA, data);
        return new String(data, StandardCharsets.US_ASCII);
    }

    static ByteBuffer privateData(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    private static int scopeOf(InetAddress address) {
        return address instanceof Inet6Address v6 ? v6.getScopeId() : 0;
    }

    @Override
    public void close() throws IOException {
        if (client != null) {
            client.close();
        }
        if (server != null) {
            server.close();
        }
        natives.destroyId(listener);
        natives.destroyEventChannel(clientChannel);
        natives.destroyEventChannel(serverChannel);
    }
}
