// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.slipstream.proxy.spi.FallbackReason;
import io.slipstream.proxy.spi.FastPath;
import io.slipstream.proxy.spi.FastPathFactory;
import io.slipstream.simulation.World;
import io.slipstream.simulation.broker.Broker;
import io.slipstream.simulation.broker.Partitions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A client connection through the proxy, with its upstream connection. It keeps the session's guarantees to the fast
 * path: requests in client order, none handed over while another is outstanding over TCP, none while muted, and a Fetch
 * alone.
 */
final class Connection implements FastPathFactory.ClientConnection {
    private static final String NONCE = "slipstream-";
    private static final int NONCE_LENGTH = NONCE.length() + 32;

    /** The client of the connection. */
    interface Client {
        /** The connection is closed; outstanding requests may or may not have been executed. */
        void onClosed(String reason);

        /** Executes a fallback request at the broker, in the connection's order. */
        void atBroker(ClientRequest request, byte[] frame, Consumer<byte[]> answer);
    }

    private final World world;
    private final Partitions partitions;
    private final Proxy proxy;
    private final int number;
    private final Client client;
    private final FastPath fastPath;
    private final ArrayDeque<ClientRequest> unsent = new ArrayDeque<>();
    private final List<ClientRequest> open = new ArrayList<>();
    private int overTcp;
    private int byRdma;
    private long lastUpstreamNs;
    private boolean closed;

    Connection(World world, Partitions partitions, Proxy proxy, int number, Client client) {
        this.world = world;
        this.partitions = partitions;
        this.proxy = proxy;
        this.number = number;
        this.client = client;
        this.fastPath = proxy.open(this);
    }

    World world() {
        return world;
    }

    Proxy proxy() {
        return proxy;
    }

    int number() {
        return number;
    }

    boolean isClosed() {
        return closed || !proxy.host().isAlive();
    }

    /** Returns whether the client was notified of the end. */
    boolean isOver() {
        return closed;
    }

    /** The client sends a request; on the event loop. */
    void submit(ClientRequest.Sender sender, int correlationId, byte[] bytes) {
        ClientRequest request = new ClientRequest(this, sender, correlationId, bytes);
        open.add(request);
        unsent.add(request);
        handOver();
    }

    private void handOver() {
        while (!closed && overTcp == 0 && !fastPath.isMuted() && !unsent.isEmpty()) {
            fastPath.submit(unsent.poll());
        }
    }

    void answeredByRdma(ClientRequest request) {
        byRdma++;
        open.remove(request);
        world.trace(() -> "connection " + number + ": request " + request.correlationId() + " answered by RDMA");
    }

    /** Sends the request to the broker on the upstream connection, after earlier ones. */
    void overTcp(ClientRequest request, byte[] frame, FallbackReason reason) {
        overTcp++;
        world.trace(() -> "connection " + number + ": request " + request.correlationId() + " falls back, " + reason);
        upstream(() -> client.atBroker(request, frame, answer -> answered(request, answer)));
    }

    /** Runs at the broker in the order of the upstream connection; never after the connection is closed. */
    private void upstream(Runnable arrival) {
        long atNs = Math.max(lastUpstreamNs + 1, world.nowNs() + partitions.tcpNs());
        lastUpstreamNs = atNs;
        world.after(atNs - world.nowNs(), null, () -> atBroker(arrival));
    }

    private void atBroker(Runnable arrival) {
        if (closed) {
            return;
        }
        Broker broker = partitions.broker();
        if (!broker.host().isAlive()) {
            downstream(() -> close("the broker is gone"));
        } else {
            // Queued behind other work that waits for the broker process.
            world.after(0, broker.host(), arrival);
        }
    }

    private void downstream(Runnable arrival) {
        world.after(partitions.tcpNs(), proxy.host(), () -> proxy.loop().execute(arrival));
    }

    private void answered(ClientRequest request, byte[] answer) {
        downstream(() -> {
            if (!closed) {
                overTcp--;
                open.remove(request);
                if (answer == null) {
                    request.sender().onNothing();
                } else {
                    request.sender().onResponse(request.answerOf(answer));
                }
                handOver();
            }
        });
    }

    /** Ends the connection on behalf of either side; on the event loop. */
    void close(String reason) {
        if (closed) {
            return;
        }
        closed = true;
        world.trace(() -> "connection " + number + " closes: " + reason);
        fastPath.close();
        freeAll();
        world.after(partitions.tcpNs(), null, () -> {
            Broker broker = partitions.broker();
            if (broker.host().isAlive()) {
                world.after(0, broker.host(), () -> partitions.onDisconnect(number));
            }
        });
        client.onClosed(reason);
    }

    /** The proxy process ended, and with it this connection. */
    void lost() {
        if (!closed) {
            closed = true;
            world.after(partitions.tcpNs(), null, () -> partitions.onDisconnect(number));
            client.onClosed("the proxy is gone");
        }
    }

    private void freeAll() {
        open.forEach(ClientRequest::free);
        open.clear();
        unsent.clear();
    }

    int byRdma() {
        return byRdma;
    }

    @Override
    public EventLoop eventLoop() {
        return proxy.loop();
    }

    @Override
    public int nodeId() {
        return Broker.NODE;
    }

    @Override
    public String clusterId() {
        return Broker.CLUSTER;
    }

    @Override
    public String clientSoftwareName() {
        return "simulated";
    }

    @Override
    public String clientSoftwareVersion() {
        return "1";
    }

    @Override
    public void sendUpstream(ByteBuf frame, Consumer<ByteBuf> onResponse) {
        String bytes = frame.toString(StandardCharsets.ISO_8859_1);
        frame.release();
        int at = bytes.indexOf(NONCE);
        String name = at < 0 ? clientSoftwareName() : bytes.substring(at, at + NONCE_LENGTH);
        upstream(() -> {
            partitions.onApiVersions(number, name);
            downstream(() -> {
                if (!closed) {
                    ByteBuf response =
                            Unpooled.buffer().writeInt(0).writeShort(0).writeZero(8);
                    onResponse.accept(response);
                    response.release();
                }
            });
        });
    }

    @Override
    public void onMutedChanged() {
        proxy.loop().execute(this::handOver);
    }
}
