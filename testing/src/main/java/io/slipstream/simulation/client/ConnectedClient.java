// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.client;

import io.slipstream.simulation.World;
import io.slipstream.simulation.broker.Partitions;
import java.util.function.Supplier;

/** A client with one connection at a time. It reconnects after each loss until it is closed. */
abstract class ConnectedClient implements Connection.Client {
    final World world;
    final Partitions partitions;
    final Producer.Numbers numbers;
    final String principal;
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
    }

    /** Called on the event loop for a new connection. */
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
                connect(thisRound);
            }
        });
    }

    private void connect(int thisRound) {
        Proxy proxy = proxies.get();
        if (proxy == null) {
            reconnect();
            return;
        }
        proxy.loop().execute(() -> {
            if (thisRound == round) {
                int number = numbers.connection();
                partitions.rights().authenticated(number, principal);
                connection = new Connection(world, partitions, proxy, number, this);
                onConnected();
            }
        });
    }

    final boolean isEnded() {
        return ended;
    }

    @Override
    public final void onClosed(String reason) {
        byRdma += connection.byRdma();
        if (!ended) {
            onLost(reason);
        }
    }

    /** The proxy process ended. */
    public void proxyGone() {
        if (connection == null || connection.isOver()) {
            reconnect();
        } else {
            connection.lost();
        }
    }

    /** The client's connection ends, and the client reconnects. */
    public void disconnect() {
        end("the client went away");
    }

    /** The broker process ended, and with it the upstream connection. */
    public void brokerGone() {
        Connection last = connection;
        if (last != null && !last.isClosed()) {
            world.after(
                    partitions.tcpNs(),
                    last.proxy().host(),
                    () -> last.proxy().loop().execute(() -> last.close("the broker is gone")));
        }
    }

    public void close() {
        ended = true;
        round++;
        end("done");
    }

    private void end(String reason) {
        Connection last = connection;
        if (last != null && !last.isClosed()) {
            last.proxy().loop().execute(() -> last.close(reason));
        }
    }

    /** Returns the number of requests answered by RDMA. */
    public int byRdma() {
        return byRdma;
    }
}
