// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.client;

import io.slipstream.simulation.World;
import io.slipstream.simulation.broker.OtherAnswers;
import io.slipstream.simulation.broker.Partitions;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Supplier;

/** A client with one connection at a time. It reconnects after each loss until it is closed. */
abstract class ConnectedClient implements Connection.Client {
    private static final int ASK_BROKER_ONE_IN = 16;
    private static final short LIST_OFFSETS = 2;
    private static final short DESCRIBE_QUORUM = 55;

    final World world;
    final Partitions partitions;
    final Producer.Numbers numbers;
    final String principal;
    private final boolean asksBroker;
    private final Supplier<Proxy> proxies;
    /** The latest connection; null before the first. */
    Connection connection;

    private boolean ended;
    private int round;
    private int byRdma;

    ConnectedClient(
            World world, Partitions partitions, Supplier<Proxy> proxies, Producer.Numbers numbers, String principal) {
        this.world = world;
        this.partitions = partitions;
        this.proxies = proxies;
        this.numbers = numbers;
        this.principal = principal;
        this.asksBroker = world.random(2) == 0;
    }

    /** Called for a new connection. */
    abstract void onConnected();

    /** Called when the connection is lost and the client is not closed. Calls {@link #reconnect} to continue. */
    abstract void onLost(String reason);

    public void start() {
        reconnect();
    }

    final void reconnect() {
        int thisRound = ++round;
        world.after(1_000 + world.random(200_000), null, () -> {
            if (thisRound == round) {
                connect();
            }
        });
    }

    private void connect() {
        Proxy proxy = proxies.get();
        if (proxy == null) {
            reconnect();
            return;
        }
        int number = numbers.connection();
        partitions.rights().authenticated(number, principal);
        connection = new Connection(world, partitions, proxy, number, this);
    }

    @Override
    public final void onConnected(Connection connected) {
        onConnected();
    }

    /** Sometimes sends a request that the ring carries, or one that it does not, before others and after them. */
    final void sometimesAskBroker() {
        if (asksBroker && world.random(ASK_BROKER_ONE_IN) == 0) {
            int correlationId = numbers.correlation();
            byte[] clientId = ("c" + connection.number()).getBytes(StandardCharsets.US_ASCII);
            boolean byRing = (correlationId & 1) == 0;
            // The header of the other one ends with the number of its tagged fields, which is 0.
            ByteBuffer frame = ByteBuffer.allocate(10 + clientId.length + (byRing ? 0 : 1));
            frame.putShort(byRing ? LIST_OFFSETS : DESCRIBE_QUORUM).putShort((short) 1);
            frame.putInt(correlationId);
            frame.putShort((short) clientId.length).put(clientId);
            numbers.sent().put(Partitions.key(connection.number(), correlationId), frame.array());
            connection.submit(
                    (response, byRdma) -> {
                        if (!Arrays.equals(response, OtherAnswers.of(correlationId))) {
                            world.violate("answers", "another answer to request " + correlationId + " than sent");
                        }
                    },
                    correlationId,
                    frame.array());
        }
    }

    final boolean isEnded() {
        return ended;
    }

    /** Runs the action on the current connection later, unless the connection is closed by then. */
    final void later(long delayNs, Runnable action) {
        Connection current = connection;
        world.after(delayNs, null, () -> {
            if (current == connection && !current.isClosed()) {
                action.run();
            }
        });
    }

    @Override
    public final void onClosed(Connection closed, String reason) {
        byRdma += closed.byRdma();
        if (!ended) {
            onLost(reason);
        }
    }

    /** The client's connection ends, and the client reconnects. */
    public void disconnect() {
        end("the client went away");
    }

    public void close() {
        ended = true;
        round++;
        end("done");
    }

    private void end(String reason) {
        if (connection != null) {
            connection.close(reason);
        }
    }

    /** Returns the number of requests answered by RDMA. */
    public int byRdma() {
        return byRdma;
    }
}
