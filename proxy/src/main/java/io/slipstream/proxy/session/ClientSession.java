// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.slipstream.link.meter.DisconnectCause;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.link.net.TlsFailure;
import io.slipstream.link.work.LoopTurn;
import io.slipstream.proxy.config.ProxyKeys;
import io.slipstream.proxy.count.ClientActivity;
import io.slipstream.proxy.spi.FastPath;
import io.slipstream.proxy.spi.FastPathFactory;
import io.slipstream.proxy.tls.Encryption;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection: requests in from {@link FrameDecoder}, each into a slot of {@link ResponseSequencer}, on its
 * way by {@link RequestDispatcher} over {@link UpstreamConnection} or {@link FastPath}, answers out in request order.
 *
 * <pre>
 *   CONNECTING ──upstream connected──▶ OPEN ──drain, client's end of input──▶ FINISHING ──nothing pending──▶ CLOSED
 *       └──unreachable──▶ CLOSED        └──either side closed or failed──▶ CLOSED ◀──deadline──┘
 * </pre>
 *
 * <p>Back-pressure: the client is not read while a request of its waits to be sent on its way, while its slots are
 * full, or while it does not read its responses; the broker is not read while the client does not read. Confined to the
 * client's event loop, which is also the upstream connection's. {@link RequestIntake} takes requests apart,
 * {@link ResponseIntake} adapts what brokers answer, and {@link AnswerWriter} writes and flushes.
 */
public final class ClientSession extends ChannelInboundHandlerAdapter
        implements FastPathFactory.ClientConnection, RequestDispatcher.Session {
    enum State {
        CONNECTING,
        OPEN,
        FINISHING,
        CLOSED
    }

    private static final Logger log = LoggerFactory.getLogger(ClientSession.class);
    private static final int MIN_TICK_MS = 50;
    /** Without a turn in between, no more of a client's requests are decoded. */
    private static final int MOST_TAKEN_BYTES = 512 << 10;

    private static final long NS_PER_MS = 1_000_000;

    final SessionContext context;
    final Channel client;
    private final FrameDecoder decoder;
    final RequestDispatcher dispatcher;
    final ResponseSequencer sequencer;
    /** For the live page; any thread. */
    final ClientActivity activity;

    private final RequestIntake requests;
    final ResponseIntake responses;
    final AnswerWriter writer;
    private final SessionFastPath fastPath;
    private final LoopTurn.Mark turn;

    private State state = State.CONNECTING;
    private UpstreamConnection upstream;
    private int nodeId;
    private boolean inputEnded;
    /** Bytes of the client's requests that were read since the last turn. */
    private int takenBytes;

    private long lastClientNs = System.nanoTime();
    private long lastFastNs;

    /** @param nodeId the broker of the port, or -1 on the bootstrap port */
    public ClientSession(SessionContext context, Channel client, int nodeId) {
        this.context = context;
        this.client = client;
        this.nodeId = nodeId;
        this.activity =
                new ClientActivity(String.valueOf(client.remoteAddress()).replaceFirst("^/", ""), nodeId);
        this.decoder = new FrameDecoder(context.config.getInt(ProxyKeys.MAX_FRAME_BYTES), null);
        this.dispatcher = new RequestDispatcher(this, context.config.getInt(ProxyKeys.MAX_IN_FLIGHT));
        this.sequencer = dispatcher.sequencer;
        this.writer = new AnswerWriter(client, context, activity);
        this.fastPath = new SessionFastPath(context, this);
        this.requests = new RequestIntake(context, activity, sequencer);
        this.responses = new ResponseIntake(this);
        this.turn = context.transport.turns().apply(client.eventLoop()).out.mark(this::takeTurn, this::onThrown);
    }

    /** Installs the session's handlers and opens its upstream connection. */
    public void start() {
        if (!context.encryption.isTowardsClients()) {
            // Encrypted socket data cannot be read into frame buffers.
            client.config().setRecvByteBufAllocator(new FrameReceive(decoder));
        }
        client.pipeline().addLast("frames", decoder).addLast("session", this);
        activity.principal = Encryption.principalOf(client);
        decoder.pause();
        context.sessions.open.add(this);
        context.meters.clients.increment();
        context.meters.clientsOpened.increment();
        int mostClients = context.config.getInt(ProxyKeys.MAX_CONNECTIONS);
        if (context.sessions.size() > mostClients) {
            close(DisconnectCause.LIMIT, mostClients + " clients are connected, see " + ProxyKeys.MAX_CONNECTIONS);
            return;
        }
        if (context.sessions.draining) {
            // Accepted before the port was closed, but too late for the drain call.
            close(DisconnectCause.DRAINED, "the proxy is stopping");
            return;
        }
        if (nodeId >= 0) {
            context.fastPaths.prepare(this);
        }
        new UpstreamConnector(context, this).connect();
        int shortestMs = Math.min(
                context.config.getInt(ProxyKeys.CLIENT_STALL_MS),
                Math.min(
                        context.config.getInt(ProxyKeys.KEEP_ALIVE_MS),
                        context.config.getInt(ProxyKeys.CLIENT_IDLE_MS)));
        int tickMs = Math.max(MIN_TICK_MS, shortestMs / 2);
        var ticks = client.eventLoop().scheduleWithFixedDelay(this::tick, tickMs, tickMs, TimeUnit.MILLISECONDS);
        client.closeFuture().addListener(closed -> {
            ticks.cancel(false);
            writer.countUnsent();
        });
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf wire = (ByteBuf) message;
        if (state == State.CLOSED) {
            wire.release();
            return;
        }
        lastClientNs = System.nanoTime();
        takenBytes += wire.readableBytes();
        requests.take(wire, lastClientNs);
        if (sequencer.isFull() || takenBytes > MOST_TAKEN_BYTES) {
            decoder.pause();
        }
        turn.set();
    }

    @Override
    public void mark() {
        turn.set();
    }

    /** The session's part of a turn of the event loop. */
    private void takeTurn() {
        if (state == State.CLOSED) {
            return;
        }
        takenBytes = 0;
        dispatcher.answer(writer);
        if (state == State.OPEN && (inputEnded || context.sessions.draining)) {
            finish();
        }
        dispatcher.dispatch();
        writer.flush();
        updateReading();
        finishIfIdle();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        boolean writable = ctx.channel().isWritable();
        writer.countUnsent();
        if (upstream != null) {
            upstream.setReading(writable);
        }
        mark();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            inputEnded = true;
            client.eventLoop()
                    .schedule(
                            () -> close(DisconnectCause.CLIENT_CLOSED, "requests were still unanswered"),
                            context.config.getInt(ProxyKeys.DRAIN_TIMEOUT_MS),
                            TimeUnit.MILLISECONDS);
            mark();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        closeBehindRequests(DisconnectCause.CLIENT_CLOSED, "the client closed the connection");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof MalformedFrameException malformed) {
            closeBehindRequests(malformed.disconnectCause, malformed.getMessage());
        } else if (TlsFailure.isCauseOf(cause)) {
            closeBehindRequests(DisconnectCause.TLS_FAILED, TlsFailure.describe(cause));
        } else if (cause instanceof IOException) {
            closeBehindRequests(DisconnectCause.CLIENT_ERROR, cause.toString());
        } else {
            onThrown(cause);
        }
    }

    /** As a broker does, first carries out what the client sent before. */
    private void closeBehindRequests(DisconnectCause cause, String detail) {
        try {
            takeTurn();
        } finally {
            close(cause, detail);
        }
    }

    private void onThrown(Throwable thrown) {
        if (state != State.CLOSED) {
            log.error("{}: unexpected failure", this, thrown);
            close(DisconnectCause.INTERNAL_ERROR, thrown.toString());
        }
    }

    private void updateReading() {
        boolean mayRead = upstream != null
                && (state == State.OPEN || inputEnded && state == State.FINISHING)
                && !dispatcher.hasQueued()
                && !sequencer.isFull()
                && client.isWritable();
        if (!mayRead) {
            decoder.pause();
        } else {
            decoder.resume();
        }
    }

    /** @param connectedNodeId the broker's node id, or -1 if no known broker advertises the address */
    void onConnected(UpstreamConnection connection, int connectedNodeId) {
        if (state == State.CLOSED) {
            connection.close();
            return;
        }
        upstream = connection;
        dispatcher.upstream = connection;
        writer.upstream = connection;
        nodeId = nodeId >= 0 ? nodeId : connectedNodeId;
        activity.nodeId = nodeId;
        if (state == State.CONNECTING) {
            state = State.OPEN;
        }
        mark();
    }

    @Override
    public void onReply(RequestSlot slot) {
        writer.hold(slot);
        turn.set();
    }

    @Override
    public boolean isClientWritable() {
        return client.isWritable();
    }

    @Override
    public void beforeForward(RequestSlot slot) {
        if (slot.apiKey == KafkaApi.PRODUCE) {
            context.frameCounts().countProduce(slot);
        } else if (slot.apiKey == KafkaApi.FETCH) {
            if (slot.reason != null && slot.reason.isPassing()) {
                // Otherwise the client would get a broker's session, which the fast path does not know later.
                context.frameCounts().declineSession(slot);
            }
            if (slot.translation != null) {
                // Any other large answer is passed on while it arrives.
                context.frameCounts().limitFetch(slot, context.outbound.shareBytes());
            }
        }
    }

    @Override
    public FastPath fastPathFor(RequestSlot slot) {
        return fastPath.of(slot);
    }

    @Override
    public void onFastPathAnswered(RequestSlot slot) {
        lastFastNs = System.nanoTime();
        if (slot.apiKey == KafkaApi.PRODUCE) {
            context.frameCounts().countProduce(slot);
        }
    }

    @Override
    public void adapt(RequestSlot slot, ByteBuf response) {
        responses.take(slot, response);
    }

    @Override
    public void onFallBack(RequestSlot slot, FallbackReason reason) {
        context.meters.fallbacks(reason).increment();
        slot.reason = reason;
    }

    boolean isClosed() {
        return state == State.CLOSED;
    }

    @Override
    public EventLoop eventLoop() {
        return client.eventLoop();
    }

    @Override
    public int nodeId() {
        return nodeId;
    }

    @Override
    public String clusterId() {
        return context.topology.clusterId();
    }

    @Override
    public void sendNonce(String nonce, Consumer<ByteBuf> onResponse) {
        if (state == State.CLOSED) {
            onResponse.accept(null);
        } else if (requests.sasl.authenticating) {
            requests.afterAuthentication.add(() -> sendNonce(nonce, onResponse));
        } else {
            upstream.sendOwn(requests.software.apiVersions(activity.clientId, nonce), onResponse);
            mark();
        }
    }

    @Override
    public ByteBuf smallRequest() {
        return requests.software.apiVersions(activity.clientId, null);
    }

    private void tick() {
        long nowNs = System.nanoTime();
        int stallMs = context.config.getInt(ProxyKeys.CLIENT_STALL_MS);
        if (writer.isStalled(nowNs, stallMs * NS_PER_MS)) {
            close(DisconnectCause.STALLED, "it took nothing for " + stallMs + " ms while bytes waited for it");
            client.close();
            return;
        }
        if (sequencer.isEmpty() && nowNs - lastClientNs > context.config.getInt(ProxyKeys.CLIENT_IDLE_MS) * NS_PER_MS) {
            close(DisconnectCause.IDLE, "no request for " + context.config.getInt(ProxyKeys.CLIENT_IDLE_MS) + " ms");
            return;
        }
        boolean upstreamQuiet = upstream != null
                && nowNs - upstream.lastUseNs > context.config.getInt(ProxyKeys.KEEP_ALIVE_MS) * NS_PER_MS;
        boolean servedByRdma = lastFastNs != 0 && lastFastNs - upstream.lastUseNs > 0;
        if (state == State.OPEN && upstreamQuiet && servedByRdma && !requests.sasl.authenticating) {
            dispatcher.keepAlive();
        }
    }

    /** Stops reading requests, answers those read, then closes. The caller enforces the deadline. */
    void drain() {
        if (state == State.CONNECTING) {
            close(DisconnectCause.DRAINED, "the proxy is stopping");
            return;
        }
        fastPath.stopWaiting();
        mark();
    }

    private void finish() {
        state = State.FINISHING;
        if (inputEnded && dispatcher.isFastWaitPending()) {
            // A request waits since an earlier turn, and its client has left or will not wait for it.
            close(DisconnectCause.CLIENT_CLOSED, "the client closed the connection");
        }
    }

    private void finishIfIdle() {
        if (state == State.FINISHING && sequencer.isEmpty() && (!inputEnded || !decoder.isPaused())) {
            close(inputEnded ? DisconnectCause.CLIENT_CLOSED : DisconnectCause.DRAINED, "all requests were answered");
        }
    }

    /** Closes both sides after answered requests were written; idempotent. */
    @Override
    public void close(DisconnectCause cause, String detail) {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        try {
            dispatcher.answer(writer);
        } finally {
            end(cause, detail);
        }
    }

    private void end(DisconnectCause cause, String detail) {
        decoder.pause();
        context.sessions.closing.incrementAndGet();
        context.sessions.open.remove(this);
        context.meters.clients.decrement();
        context.onClosed(this, cause, detail);
        fastPath.close();
        context.meters.inFlight.add(-sequencer.size());
        dispatcher.close();
        writer.drop();
        if (upstream != null) {
            upstream.close();
        }
        requests.runDeferred();
        client.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        // A client that does not read would keep the connection open indefinitely.
        var forced = client.eventLoop()
                .schedule(
                        () -> client.close(), context.config.getInt(ProxyKeys.DRAIN_TIMEOUT_MS), TimeUnit.MILLISECONDS);
        client.closeFuture().addListener(closed -> {
            forced.cancel(false);
            context.sessions.closing.decrementAndGet();
        });
    }

    @Override
    public String toString() {
        return "client " + client.remoteAddress() + " of broker " + (nodeId < 0 ? "(bootstrap)" : nodeId);
    }
}
