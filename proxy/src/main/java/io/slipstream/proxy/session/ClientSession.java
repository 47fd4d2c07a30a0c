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
import io.netty.util.ReferenceCountUtil;
import io.slipstream.link.net.TlsFailure;
import io.slipstream.protocol.address.ApiVersionsIntersection;
import io.slipstream.proxy.buffer.PooledMemory;
import io.slipstream.proxy.config.ProxyKeys;
import io.slipstream.proxy.count.ClientActivity;
import io.slipstream.proxy.spi.FallbackReason;
import io.slipstream.proxy.spi.FastPath;
import io.slipstream.proxy.spi.FastPathFactory;
import io.slipstream.proxy.tls.Encryption;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection: requests in from {@link FrameDecoder}, each into a slot of {@link ResponseSequencer}, on its way by
 * {@link RequestDispatcher} over {@link UpstreamConnection} or {@link FastPath}, answers out in request order.
 *
 * <pre>
 *   CONNECTING ──upstream connected──▶ OPEN ──drain, client's end of input──▶ FINISHING ──nothing pending──▶ CLOSED
 *       └──unreachable──▶ CLOSED        └──either side closed or failed──▶ CLOSED ◀──deadline──┘
 * </pre>
 *
 * <p>Back-pressure: the client is not read while a request of its waits to be sent on its way, while its slots are full, or while it does not
 * read its responses; the broker is not read while the client does not read. Confined to the client's event loop, which is
 * also the upstream connection's. Longer than most classes here because it implements three small interfaces of its parts.
 */
public final class ClientSession extends ChannelInboundHandlerAdapter
        implements FastPathFactory.ClientConnection,
                RequestDispatcher.Session,
                UpstreamConnection.Events,
                UpstreamConnector.Events {
    enum State {
        CONNECTING,
        OPEN,
        FINISHING,
        CLOSED
    }

    private static final Logger log = LoggerFactory.getLogger(ClientSession.class);
    private static final int MIN_TICK_MS = 50;
    private static final long NS_PER_MS = 1_000_000;

    private final SessionContext context;
    private final Channel client;
    private final FrameDecoder decoder;
    private final RequestDispatcher dispatcher;
    private final ResponseSequencer sequencer;
    private final ResponseSequencer.Writer writer = this::write;
    private final Runnable flushTask = this::flushScheduled;
    private final SaslState sasl = new SaslState();
    private final ClientSoftware software = new ClientSoftware();
    private final ClientActivity activity;
    /** Own requests that wait until the client has authenticated again. */
    private final ArrayDeque<Runnable> afterAuthentication = new ArrayDeque<>();

    private State state = State.CONNECTING;
    private ChannelHandlerContext decoderContext;
    private UpstreamConnection upstream;
    private FastPath fastPath;
    private int nodeId;
    private boolean identified;
    private boolean inputEnded;
    /** Inside a read of either socket, whose end flushes. */
    private boolean reading;

    private boolean flushScheduled;
    private boolean clientUnflushed;
    private long lastClientNs = System.nanoTime();
    private long lastFastNs;

    /** @param nodeId the broker that the port stands for, or -1 on the bootstrap port */
    public ClientSession(SessionContext context, Channel client, int nodeId) {
        this.context = context;
        this.client = client;
        this.nodeId = nodeId;
        this.activity =
                new ClientActivity(String.valueOf(client.remoteAddress()).replaceFirst("^/", ""), nodeId);
        this.decoder = FrameDecoder.ofRequests(context.config.maxFrameBytes());
        this.dispatcher = new RequestDispatcher(this, context.config.maxInFlight());
        this.sequencer = dispatcher.sequencer();
    }

    /** Installs the session's handlers and opens its upstream connection. */
    public void start() {
        if (!context.encryption.isTowardsClients()) {
            // What a socket gives is no frame if it is encrypted.
            client.config().setRecvByteBufAllocator(new FrameReceive(decoder));
        }
        client.pipeline().addLast("frames", decoder).addLast("session", this);
        decoderContext = client.pipeline().context(decoder);
        activity.isOf(Encryption.principalOf(client));
        decoder.pause();
        context.sessions.add(this);
        context.meters.clients.increment();
        context.meters.clientsOpened.increment();
        if (context.sessions.size() > context.config.maxConnections()) {
            close(
                    DisconnectCause.LIMIT,
                    context.config.maxConnections() + " clients are connected, see " + ProxyKeys.MAX_CONNECTIONS);
            return;
        }
        if (context.sessions.isDraining()) {
            // Accepted before the port was closed, and too late to be told to drain.
            close(DisconnectCause.DRAINED, "the proxy stops");
            return;
        }
        new UpstreamConnector(context, client.eventLoop(), nodeId, this, this).connect();
        long tickMs = Math.max(MIN_TICK_MS, Math.min(context.config.keepAliveMs(), context.config.clientIdleMs()) / 2);
        var ticks = client.eventLoop().scheduleWithFixedDelay(this::tick, tickMs, tickMs, TimeUnit.MILLISECONDS);
        client.closeFuture().addListener(closed -> ticks.cancel(false));
    }

    // --- client's side

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf wire = (ByteBuf) message;
        if (state == State.CLOSED) {
            wire.release();
            return;
        }
        reading = true;
        lastClientNs = System.nanoTime();
        boolean raw = sasl.isRawToken(wire);
        if (!raw && wire.readableBytes() < RequestHeaders.FIXED_BYTES) {
            int sizeBytes = wire.readableBytes() - FrameDecoder.SIZE_BYTES;
            wire.release();
            close(DisconnectCause.MALFORMED_REQUEST, "a frame of " + sizeBytes + " bytes is no Kafka request");
            return;
        }
        enqueue(wire, raw);
        dispatcher.dispatch();
        sequencer.drain(writer);
        updateReading();
    }

    private void enqueue(ByteBuf wire, boolean raw) {
        RequestSlot slot = sequencer.take();
        slot.wire = wire;
        slot.receivedNs = lastClientNs;
        slot.requestBytes = wire.readableBytes() - FrameDecoder.SIZE_BYTES;
        slot.expectsResponse = true;
        context.meters.inFlight.increment();
        activity.received(slot.requestBytes);
        if (raw) {
            slot.apiKey = RequestSlot.RAW;
            slot.overTcp = true;
            return;
        }
        slot.apiKey = RequestHeaders.apiKey(wire);
        slot.apiVersion = RequestHeaders.apiVersion(wire);
        slot.correlationId = RequestHeaders.correlationId(wire);
        if (!identified) {
            identified = true;
            activity.identify(RequestHeaders.clientId(wire));
        }
        if (slot.apiKey == KafkaApi.PRODUCE) {
            slot.expectsResponse = !RequestHeaders.producesWithoutResponse(wire);
        } else if (slot.apiKey == KafkaApi.API_VERSIONS) {
            software.learn(slot);
            activity.runs(software.describe());
        }
        if (slot.apiKey == KafkaApi.API_VERSIONS
                && ApiVersionsIntersection.isTooNew(slot.apiVersion)
                && RequestHeaders.hasFlexibleHeader(wire)) {
            answerTooNew(slot);
        }
        sasl.onRequest(slot.apiKey, slot.apiVersion);
        if (!sasl.isAuthenticating()) {
            runDeferred();
        }
    }

    /** Its answer could not be decoded; a broker that does not know the version either answers the same. */
    private void answerTooNew(RequestSlot slot) {
        slot.response = Unpooled.wrappedBuffer(ApiVersionsIntersection.unsupportedVersion(slot.correlationId));
        slot.responseHasSize = false;
        slot.state = RequestSlot.State.DONE;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        endReading();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        boolean writable = ctx.channel().isWritable();
        if (upstream != null) {
            upstream.setReading(writable);
        }
        if (writable) {
            onProgress();
        } else {
            updateReading();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            inputEnded = true;
            finish();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        close(DisconnectCause.CLIENT_CLOSED, "the client closed the connection");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof MalformedFrameException malformed) {
            close(malformed.disconnectCause(), malformed.getMessage());
        } else if (TlsFailure.isCauseOf(cause)) {
            close(DisconnectCause.TLS_FAILED, TlsFailure.describe(cause));
        } else if (cause instanceof IOException) {
            close(DisconnectCause.CLIENT_ERROR, cause.toString());
        } else {
            log.error("{}: unexpected failure", this, cause);
            close(DisconnectCause.INTERNAL_ERROR, cause.toString());
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
        } else if (decoder.isPaused()) {
            resumeDecoding();
        }
    }

    /** What was left undecoded comes without a read of the socket whose end would flush it. */
    private void resumeDecoding() {
        boolean insideRead = reading;
        decoder.resume(decoderContext);
        reading = insideRead;
        scheduleFlush();
    }

    // --- upstream's side

    @Override
    public void onConnected(UpstreamConnection connection, int connectedNodeId) {
        if (state == State.CLOSED) {
            connection.close();
            return;
        }
        upstream = connection;
        dispatcher.attach(connection);
        nodeId = nodeId >= 0 ? nodeId : connectedNodeId;
        activity.belongsTo(nodeId);
        if (state == State.CONNECTING) {
            state = State.OPEN;
        }
        updateReading();
        finishIfIdle();
    }

    @Override
    public void onUnreachable(DisconnectCause cause, String detail) {
        close(cause, detail);
    }

    @Override
    public void onResponse(RequestSlot slot, ByteBuf wire) {
        reading = true;
        if (slot.translation != null) {
            onUntranslated(slot, wire);
        } else {
            onTranslated(slot, wire);
        }
    }

    /** The broker was asked something else than the client asked. */
    private void onUntranslated(RequestSlot slot, ByteBuf wire) {
        ByteBuf answer = slot.translation.translate(wire.skipBytes(FrameDecoder.SIZE_BYTES), client.alloc());
        wire.release();
        if (answer == null) {
            close(DisconnectCause.UPSTREAM_PROTOCOL, "a response that cannot be read");
            return;
        }
        ByteBuf size = client.alloc().directBuffer(FrameDecoder.SIZE_BYTES).writeInt(answer.readableBytes());
        onTranslated(slot, client.alloc().compositeDirectBuffer(2).addComponents(true, size, answer));
    }

    private void onTranslated(RequestSlot slot, ByteBuf wire) {
        if (slot.apiKey == KafkaApi.METADATA) {
            int sizeBytes = wire.readableBytes() - FrameDecoder.SIZE_BYTES;
            context.topicNames.learn(
                    PooledMemory.view(wire, wire.readerIndex() + FrameDecoder.SIZE_BYTES, sizeBytes), slot.apiVersion);
        }
        if (slot.apiKey == RequestSlot.RAW || !context.adapter.adapts(slot.apiKey, slot.apiVersion)) {
            onAnswer(slot, wire, true);
            return;
        }
        ResponseAdapter.Adapted adapted = adapt(slot, wire, FrameDecoder.SIZE_BYTES);
        if (adapted == null) {
            wire.release();
        } else if (adapted.served() == null) {
            onAdapted(slot, wire, adapted.replacement());
        } else {
            ReferenceCountUtil.release(adapted.replacement());
            adaptWhenServed(slot, wire, adapted.served());
        }
    }

    /** The client must not learn of a broker whose port here is not open yet. */
    private void adaptWhenServed(RequestSlot slot, ByteBuf wire, CompletableFuture<Void> served) {
        served.whenComplete((done, failure) -> client.eventLoop().execute(() -> {
            ResponseAdapter.Adapted adapted = state == State.CLOSED ? null : adapt(slot, wire, FrameDecoder.SIZE_BYTES);
            if (adapted == null) {
                wire.release();
                return;
            }
            onAdapted(slot, wire, adapted.replacement());
            onProgress();
        }));
    }

    private void onAdapted(RequestSlot slot, ByteBuf wire, ByteBuf replacement) {
        if (replacement == null) {
            onAnswer(slot, wire, true);
        } else {
            wire.release();
            onAnswer(slot, replacement, false);
        }
    }

    /** Null if it could not be adapted; the session is closed then. */
    private ResponseAdapter.Adapted adapt(RequestSlot slot, ByteBuf response, int sizeBytes) {
        response.skipBytes(sizeBytes);
        try {
            return context.adapter.adapt(slot.apiKey, slot.apiVersion, response, client.alloc());
        } catch (RuntimeException e) {
            log.error("{}: cannot decode a response to API {} version {}", this, slot.apiKey, slot.apiVersion, e);
            close(DisconnectCause.UPSTREAM_PROTOCOL, "a response that cannot be decoded: " + e);
            return null;
        } finally {
            response.readerIndex(response.readerIndex() - sizeBytes);
        }
    }

    private void onAnswer(RequestSlot slot, ByteBuf response, boolean hasSize) {
        if (slot.apiKey == KafkaApi.FETCH) {
            slot.records = context.frameCounts().ofFetchResponse(slot, response, hasSize);
        }
        dispatcher.onUpstreamAnswer(slot, response, hasSize);
        sequencer.drain(writer);
    }

    @Override
    public void onResponsesRead() {
        if (state != State.CLOSED) {
            onProgress();
            endReading();
        }
    }

    @Override
    public void onUpstreamWritable() {
        onProgress();
    }

    @Override
    public void onUpstreamClosed(DisconnectCause cause, String detail) {
        close(cause, detail);
    }

    // --- dispatching

    @Override
    public boolean isClientWritable() {
        return client.isWritable();
    }

    @Override
    public FastPath fastPathFor(RequestSlot slot) {
        if (slot.apiKey != KafkaApi.PRODUCE && slot.apiKey != KafkaApi.FETCH) {
            return null;
        }
        FallbackReason obstacle = openFastPath();
        if (obstacle == null && fastPath.accepts(slot.apiKey, slot.apiVersion)) {
            return fastPath;
        }
        FallbackReason reason = obstacle != null
                ? obstacle
                : context.fastPaths.isEnabled() ? FallbackReason.NOT_ELIGIBLE : FallbackReason.DISABLED;
        context.meters.fallbacks(reason).increment();
        slot.reason = reason;
        return null;
    }

    /** Null if it is open. Opened for the first Produce or Fetch: by then the client has authenticated itself, if it has to. */
    private FallbackReason openFastPath() {
        if (fastPath == null) {
            if (!context.fastPaths.isEnabled()) {
                return FallbackReason.DISABLED;
            }
            if (nodeId < 0 || clusterId() == null) {
                return FallbackReason.NO_PLUGIN;
            }
            fastPath = context.fastPaths.open(this);
        }
        return null;
    }

    @Override
    public void beforeForward(RequestSlot slot) {
        if (slot.apiKey == KafkaApi.PRODUCE) {
            slot.records = context.frameCounts().ofProduceRequest(slot);
        }
    }

    @Override
    public void onProgress() {
        if (state == State.CLOSED) {
            return;
        }
        sequencer.drain(writer);
        dispatcher.dispatch();
        updateReading();
        finishIfIdle();
        scheduleFlush();
    }

    @Override
    public void onFastPathAnswered(RequestSlot slot) {
        lastFastNs = System.nanoTime();
        if (slot.apiKey != KafkaApi.PRODUCE) {
            // A Fetch answered here names no brokers, and brought its count of records.
            return;
        }
        slot.records = context.frameCounts().ofProduceRequest(slot);
        if (slot.response != null && context.adapter.adapts(slot.apiKey, slot.apiVersion)) {
            ResponseAdapter.Adapted adapted = adapt(slot, slot.response, FrameDecoder.SIZE_BYTES);
            if (adapted != null && adapted.replacement() != null) {
                slot.response.release();
                slot.response = adapted.replacement();
                slot.responseHasSize = false;
            }
        }
    }

    @Override
    public void onFallBack(RequestSlot slot, FallbackReason reason) {
        context.meters.fallbacks(reason).increment();
        slot.reason = reason;
        boolean passing = reason == FallbackReason.SESSION_NOT_BOUND || reason == FallbackReason.LINK_DOWN;
        if (passing && slot.apiKey == KafkaApi.FETCH) {
            // Else the client would get a broker's session, of which the fast path cannot know later.
            context.frameCounts().declineSession(slot.wire);
        }
    }

    @Override
    public void onCloseRequested(String reason) {
        close(DisconnectCause.FAST_PATH, reason);
    }

    private void write(RequestSlot slot) {
        ApiMeters meters = context.meters.of(slot.apiKey, slot.answeredByRdma);
        meters.requests.increment();
        meters.requestBytes.add(slot.requestBytes);
        meters.records.add(slot.records);
        context.meters.inFlight.decrement();
        if (slot.response != null) {
            ByteBuf response = slot.detachResponse();
            int sizeBytes = response.readableBytes();
            if (slot.responseHasSize) {
                sizeBytes -= FrameDecoder.SIZE_BYTES;
            } else {
                client.write(
                        client.alloc().directBuffer(FrameDecoder.SIZE_BYTES).writeInt(sizeBytes), client.voidPromise());
            }
            client.write(response, client.voidPromise());
            clientUnflushed = true;
            meters.responseBytes.add(sizeBytes);
            activity.sent(sizeBytes);
        }
        long latencyNs = System.nanoTime() - slot.receivedNs;
        meters.latency.recordNs(latencyNs);
        activity.answered(slot.apiKey, slot.answeredByRdma, slot.records, latencyNs);
    }

    private void endReading() {
        reading = false;
        flush();
    }

    private void scheduleFlush() {
        boolean unflushed = clientUnflushed || upstream != null && upstream.isUnflushed();
        if (unflushed && !reading && !flushScheduled) {
            flushScheduled = true;
            client.eventLoop().execute(flushTask);
        }
    }

    private void flushScheduled() {
        flushScheduled = false;
        flush();
    }

    private void flush() {
        if (upstream != null) {
            upstream.flush();
        }
        if (clientUnflushed) {
            clientUnflushed = false;
            client.flush();
        }
    }

    /** For those who look on; any thread. */
    ClientActivity activity() {
        return activity;
    }

    // --- what the fast path needs

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
    public String clientSoftwareName() {
        return software.name();
    }

    @Override
    public String clientSoftwareVersion() {
        return software.version();
    }

    @Override
    public void sendUpstream(ByteBuf frame, Consumer<ByteBuf> onResponse) {
        if (state == State.CLOSED) {
            frame.release();
            onResponse.accept(null);
        } else if (sasl.isAuthenticating()) {
            afterAuthentication.add(() -> sendUpstream(frame, onResponse));
        } else {
            upstream.sendOwn(frame, onResponse);
            scheduleFlush();
        }
    }

    private void runDeferred() {
        for (Runnable deferred = afterAuthentication.poll(); deferred != null; deferred = afterAuthentication.poll()) {
            deferred.run();
        }
    }

    @Override
    public void onMutedChanged() {
        onProgress();
    }

    // --- end of life

    private void tick() {
        long nowNs = System.nanoTime();
        if (sequencer.isEmpty() && nowNs - lastClientNs > context.config.clientIdleMs() * NS_PER_MS) {
            close(DisconnectCause.IDLE, "nothing was asked for " + context.config.clientIdleMs() + " ms");
            return;
        }
        boolean upstreamQuiet =
                upstream != null && nowNs - upstream.lastUseNs() > context.config.keepAliveMs() * NS_PER_MS;
        boolean servedByRdma = lastFastNs != 0 && lastFastNs - upstream.lastUseNs() > 0;
        if (state == State.OPEN && upstreamQuiet && servedByRdma && !sasl.isAuthenticating()) {
            dispatcher.keepAlive();
        }
    }

    /** Reads no more requests, answers those read, closes. Who drains sees to it that it ends in time. */
    void drain() {
        if (state == State.CONNECTING) {
            close(DisconnectCause.DRAINED, "the proxy stops");
            return;
        }
        finish();
        if (fastPath != null && state != State.CLOSED) {
            fastPath.stopWaiting();
        }
    }

    private void finish() {
        if (state == State.CLOSED || state == State.FINISHING) {
            return;
        }
        if (state == State.OPEN) {
            state = State.FINISHING;
        }
        updateReading();
        if (inputEnded && dispatcher.isFetchPending()) {
            // A fetch that waits for records; its client has left or will not wait for it.
            close(DisconnectCause.CLIENT_CLOSED, "the client closed the connection");
            return;
        }
        if (inputEnded) {
            client.eventLoop()
                    .schedule(
                            () -> close(DisconnectCause.CLIENT_CLOSED, "requests were still unanswered"),
                            context.config.drainTimeoutMs(),
                            TimeUnit.MILLISECONDS);
        }
        finishIfIdle();
    }

    private void finishIfIdle() {
        if (state == State.FINISHING && sequencer.isEmpty() && (!inputEnded || !decoder.isPaused())) {
            close(inputEnded ? DisconnectCause.CLIENT_CLOSED : DisconnectCause.DRAINED, "all requests were answered");
        }
    }

    /** Closes both sides after what is answered was written; idempotent. */
    void close(DisconnectCause cause, String detail) {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        decoder.pause();
        context.sessions.beginClosing();
        context.sessions.remove(this);
        context.meters.clients.decrement();
        context.meters.disconnects(cause).increment();
        if (cause.isOrdinary() || !context.logLimit.permits(cause)) {
            log.debug("{}: closed, {}: {}", this, cause.label(), detail);
        } else {
            log.warn("{}: closed, {}: {}", this, cause.label(), detail);
        }
        if (fastPath != null) {
            fastPath.close();
        }
        context.meters.inFlight.add(-sequencer.size());
        dispatcher.close();
        if (upstream != null) {
            upstream.close();
        }
        runDeferred();
        client.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        // A client that does not read would keep the connection open for ever.
        var forced = client.eventLoop()
                .schedule(() -> client.close(), context.config.drainTimeoutMs(), TimeUnit.MILLISECONDS);
        client.closeFuture().addListener(closed -> {
            forced.cancel(false);
            context.sessions.endClosing();
        });
    }

    @Override
    public String toString() {
        return "client " + client.remoteAddress() + " of broker " + (nodeId < 0 ? "(bootstrap)" : nodeId);
    }
}
