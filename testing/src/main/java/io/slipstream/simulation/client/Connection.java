// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.client;

import io.slipstream.simulation.PlainSocket;
import io.slipstream.simulation.World;
import io.slipstream.simulation.broker.Partitions;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** A client's connection to the proxy. Answers come in the order of the requests. */
final class Connection implements PlainSocket.Listener {
    /** The client of the connection. */
    interface Client {
        void onConnected(Connection connection);

        /** The connection is closed; outstanding requests may or may not have been executed. */
        void onClosed(Connection connection, String reason);
    }

    /** Awaits the response to a request. */
    interface Sender {
        /** @param byRdma whether the broker has not seen the request over TCP */
        void onResponse(byte[] response, boolean byRdma);
    }

    private record Awaited(int correlationId, Sender sender) {}

    private final World world;
    private final Partitions partitions;
    private final int number;
    private final Client client;
    private final PlainSocket socket;
    private final ArrayDeque<Awaited> awaited = new ArrayDeque<>();
    private int byRdma;

    Connection(World world, Partitions partitions, Proxy proxy, int number, Client client) {
        this.world = world;
        this.partitions = partitions;
        this.number = number;
        this.client = client;
        this.socket = new PlainSocket(world, null, this);
        proxy.connect(socket, partitions.node());
    }

    int number() {
        return number;
    }

    boolean isClosed() {
        return socket.isClosed();
    }

    int byRdma() {
        return byRdma;
    }

    /** @param sender null if the request has no response */
    void submit(Sender sender, int correlationId, byte[] frame) {
        if (sender != null) {
            awaited.add(new Awaited(correlationId, sender));
        }
        socket.send(frame);
    }

    @Override
    public void onConnected() {
        client.onConnected(this);
    }

    @Override
    public void onFrame(byte[] frame) {
        Awaited next = awaited.poll();
        int correlationId = ByteBuffer.wrap(frame).getInt();
        if (next == null || next.correlationId != correlationId) {
            world.violate(
                    "responses",
                    "connection " + number + " gets response " + correlationId + " while it awaits " + next);
            return;
        }
        boolean rdma = !partitions.wasHandledOverTcp(number, correlationId);
        byRdma += rdma ? 1 : 0;
        world.trace(() -> "connection " + number + ": response " + correlationId + (rdma ? " by RDMA" : " over TCP"));
        next.sender.onResponse(frame, rdma);
    }

    @Override
    public void onEnd() {
        world.trace(() -> "connection " + number + " is closed by the proxy");
        client.onClosed(this, "closed by the proxy");
    }

    /** The client ends the connection. */
    void close(String reason) {
        if (!socket.isClosed()) {
            world.trace(() -> "connection " + number + " closes: " + reason);
            socket.close();
            client.onClosed(this, reason);
        }
    }
}
