// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.ssl.SslHandler;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlCodec;
import io.slipstream.protocol.control.ControlEnvelope;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.ControlSecret;
import io.slipstream.protocol.control.ControlSecret.Side;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.RingApis;
import io.slipstream.rdma.ConnectionRequest;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaListener;
import io.slipstream.rdma.RdmaProvider;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/**
 * The plugin's end for tests of the fast path: a control server on a real Unix domain socket and links over the real
 * {@code shm} provider, with logs instead of a broker. One thread owns links, logs and completion queues; tests run
 * their steps on it.
 */
final class PluginPeer implements AutoCloseable {
    static final String CLUSTER = "c1";
    static final int NODE = 3;
    static final int LEASE_MS = 2_000;
    static final int RING_BYTES = 1 << 14;
    static final int CREDITS = 8;
    static final int PAGE = 4096;

    private static final long BOOT_ID = 42;

    /** The received read reports. */
    final PeerBooks books = new PeerBooks();

    private final Path directory;
    private final String provider;
    private final RdmaDevice device;
    private final RdmaListener listener;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final MultiThreadIoEventLoopGroup controlGroup =
            new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final Channel server;
    /** The control server over TCP, if {@link #listenOnTcp} was called. */
    private Channel tcpServer;

    private final ConcurrentLinkedQueue<Channel> connections = new ConcurrentLinkedQueue<>();
    private final Map<Long, PeerLink> awaitingConnect = new ConcurrentHashMap<>();
    final Map<Integer, PeerLink> links = new HashMap<>();
    final Map<String, PeerLog> logs = new HashMap<>();
    /** Request frames of all links, in the order of arrival. */
    final BlockingQueue<PeerLink.Landed> landed = new LinkedBlockingQueue<>();

    final Set<String> seenNonces = ConcurrentHashMap.newKeySet();
    final List<ControlRequest> requests = new ArrayList<>();
    final Set<Integer> closedSessions = new HashSet<>();
    /** Requests to refuse, by kind. */
    final Map<ControlApi, ControlError> refusals = new HashMap<>();
    /** Kinds of requests without an answer. */
    final Set<ControlApi> ignored = new HashSet<>();

    /** Longest window of a segment that Locate grants, as for pinned memory; 0: whole segments. */
    int windowBytes;
    /** Grants windows that end within the requested batch. */
    /** The number of slots that AttachLink answers. */
    volatile int offeredSlots = PeerLink.SLOTS;

    boolean windowsTooShort;

    /** The secret over TCP; null: no secret. */
    ControlSecret secret;
    /** TLS over TCP; null: none. */
    SSLContext tls;

    boolean asksForCertificates;
    /** Digest of the certificate that it assumes to have presented. */
    byte[] certificate = ControlSecret.NO_CERTIFICATE;
    /** Answers the proxy's proof with a wrong proof. */
    boolean provesNothing;

    private String proxyNonce;
    private final String brokerNonce = ControlSecret.newNonce();

    /** What Hello says about the ring; null: a plugin of an older release. */
    volatile String ringApis = RingApis.FEATURE;

    boolean replicaSelector;
    int fetchMaxBytes = 55 << 20;
    private int nextId = 1;

    /** @param provider the provider that Hello offers; uses the memory of {@code shm} */
    PluginPeer(Path directory, String provider) throws IOException {
        this.directory = directory;
        this.provider = provider;
        device = RdmaProvider.named("shm").orElseThrow().open(DeviceConfig.DEFAULT);
        listener = device.listen(directory.resolve("q").toString(), this::onConnectionRequest);
        server = new ServerBootstrap()
                .group(controlGroup)
                .channel(EpollServerDomainSocketChannel.class)
                .childHandler(controlChannels())
                .bind(new DomainSocketAddress(
                        directory.resolve(CLUSTER + "." + NODE + ".sock").toString()))
                .syncUninterruptibly()
                .channel();
        thread.scheduleWithFixedDelay(this::poll, 0, 100, TimeUnit.MICROSECONDS);
    }

    private ChannelInitializer<Channel> controlChannels() {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                connections.add(channel);
                if (tls != null) {
                    SSLEngine engine = tls.createSSLEngine();
                    engine.setUseClientMode(false);
                    engine.setNeedClientAuth(asksForCertificates);
                    channel.pipeline().addLast(new SslHandler(engine));
                }
                channel.pipeline().addLast(new LengthFieldBasedFrameDecoder(1 << 17, 0, 4, 0, 4), new ControlHandler());
            }
        };
    }

    /** Removes the socket from the directory and listens on that TCP port of the loopback address instead. */
    void listenOnTcp(int port) {
        server.close().syncUninterruptibly();
        tcpServer = new ServerBootstrap()
                .group(controlGroup)
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childHandler(controlChannels())
                .bind("127.0.0.1", port)
                .syncUninterruptibly()
                .channel();
    }

    private void poll() {
        links.values().forEach(link -> {
            if (link.queuePair != null) {
                link.poll();
            }
        });
    }

    /** Runs a step on the peer's thread; fails after ten seconds. */
    <T> T on(Callable<T> step) {
        try {
            return thread.submit(step).get(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("step at the peer failed", e);
        }
    }

    void run(Runnable step) {
        on(() -> {
            step.run();
            return null;
        });
    }

    /** The only link. */
    PeerLink link() {
        if (links.size() != 1) {
            throw new AssertionError("links: " + links.keySet());
        }
        return links.values().iterator().next();
    }

    PeerLog log(String topic, int partition) {
        return logs.computeIfAbsent(topic + "-" + partition, key -> new PeerLog(logs.size(), directory));
    }

    void publish(PeerLog log) {
        links.values().forEach(link -> link.publish(log));
    }

    private final class ControlHandler extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
            ControlEnvelope<ControlRequest> envelope = ControlCodec.decodeRequest(frame.nioBuffer());
            thread.execute(() -> {
                ControlResponse response = answer(envelope.message());
                if (response != null) {
                    context.writeAndFlush(
                            Unpooled.wrappedBuffer(ControlCodec.encodeResponse(envelope.correlationId(), response)));
                }
            });
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // A proxy that ends may reset the connection.
            context.close();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            thread.execute(PluginPeer.this::dropLinks);
        }
    }

    private ControlResponse answer(ControlRequest request) {
        requests.add(request);
        ControlApi api = ControlApi.of(request);
        if (ignored.contains(api)) {
            return null;
        }
        ControlError refusal = refusals.get(api);
        try {
            return refusal != null ? api.refusal(refusal, "as the test wants it") : serve(request, api);
        } catch (IOException | RuntimeException e) {
            return api.refusal(ControlError.INTERNAL, e.toString());
        }
    }

    private String proof(Side side) {
        return secret.proof(side, CLUSTER, NODE, proxyNonce, brokerNonce, certificate);
    }

    private ControlResponse serve(ControlRequest request, ControlApi api) throws IOException {
        if (request instanceof ControlRequest.Challenge challenge && secret != null) {
            proxyNonce = challenge.nonce();
            return new ControlResponse.Challenge(ControlError.NONE, null, brokerNonce);
        } else if (request instanceof ControlRequest.Authenticate authenticate && secret != null) {
            boolean isRight = authenticate.proof().equals(proof(Side.PROXY));
            return isRight
                    ? new ControlResponse.Authenticate(
                            ControlError.NONE, null, proof(provesNothing ? Side.PROXY : Side.BROKER))
                    : api.refusal(ControlError.NOT_AUTHENTICATED, "another secret");
        } else if (request instanceof ControlRequest.Hello) {
            return new ControlResponse.Hello(
                    ControlError.NONE,
                    ringApis,
                    CLUSTER,
                    NODE,
                    BOOT_ID,
                    provider,
                    listener.address(),
                    LEASE_MS,
                    RING_BYTES - 64,
                    fetchMaxBytes,
                    replicaSelector);
        } else if (request instanceof ControlRequest.OpenLink open) {
            int id = nextId++;
            int credits = Math.min(CREDITS, open.credits());
            PeerLink link = new PeerLink(
                    id,
                    device.createProtectionDomain(),
                    device.createCompletionQueue(4096),
                    RING_BYTES,
                    credits,
                    BOOT_ID,
                    landed);
            logs.values().forEach(log -> log.publish(link.slots));
            awaitingConnect.put((long) id, link);
            return new ControlResponse.OpenLink(ControlError.NONE, null, id, id);
        } else if (request instanceof ControlRequest.AttachLink attach) {
            return links.get(attach.linkId()).attach(attach, offeredSlots);
        } else if (request instanceof ControlRequest.BeginSession) {
            return new ControlResponse.BeginSession(ControlError.NONE, null, "slipstream-" + nextId++);
        } else if (request instanceof ControlRequest.ConfirmSession confirm) {
            if (!seenNonces.remove(confirm.nonce())) {
                return api.refusal(ControlError.NOT_BOUND, "nonce not seen");
            }
            int session = nextId++;
            links.get(confirm.linkId()).sessions.add(session);
            return new ControlResponse.ConfirmSession(ControlError.NONE, null, session);
        } else if (request instanceof ControlRequest.CloseSession close) {
            closedSessions.add(close.sessionId());
            return new ControlResponse.CloseSession(ControlError.NONE, null);
        } else if (request instanceof ControlRequest.Locate locate) {
            return locate(locate, api);
        } else if (request instanceof ControlRequest.ListAborted list) {
            return listAborted(list, api);
        } else if (request instanceof ControlRequest.ReleaseSegment release) {
            PeerLink link = links.get(release.linkId());
            link.releasedSegments.add(release.rkey());
            link.segments.remove(release.rkey()).close();
            return new ControlResponse.ReleaseSegment(ControlError.NONE, null);
        } else if (request instanceof ControlRequest.ReleaseSlot release) {
            links.get(release.linkId()).releasedSlots.add(release.slot());
            return new ControlResponse.ReleaseSlot(ControlError.NONE, null);
        } else if (request instanceof ControlRequest.ReportReads report) {
            return books.enter(report);
        }
        throw new AssertionError(request);
    }

    private ControlResponse listAborted(ControlRequest.ListAborted list, ControlApi api) {
        for (PeerLog log : logs.values()) {
            if (log.slot == list.slot() && log.generation == list.generation()) {
                return new ControlResponse.ListAborted(
                        ControlError.NONE,
                        null,
                        Math.min(log.stableOffset(), log.abortedCompleteTo),
                        log.abortedCompleteToBytes,
                        log.abortedWhole,
                        log.abortedCount,
                        log.aborted.stream()
                                .filter(each -> each.lastOffset() >= list.fetchOffset())
                                .toList());
            }
        }
        return api.refusal(ControlError.UNKNOWN_HANDLE, "no such slot");
    }

    private ControlResponse locate(ControlRequest.Locate locate, ControlApi api) throws IOException {
        String topic = locate.topic() == null ? "cars" : locate.topic();
        PeerLog log = logs.get(topic + "-" + locate.partition());
        if (log == null
                || (log.flags & 1) != 0
                || locate.fetchOffset() < log.logStartOffset
                || locate.fetchOffset() > log.highWatermark) {
            return api.refusal(ControlError.NOT_READABLE, "not here");
        }
        PeerLog.Batch batch = log.batchAt(locate.fetchOffset());
        PeerLog.Segment segment = batch == null ? log.active() : batch.segment();
        int position = batch == null ? log.active().sizeBytes : batch.position();
        return new ControlResponse.Locate(
                ControlError.NONE,
                null,
                locate.topicId(),
                topic,
                log.slot,
                log.generation,
                segment.baseOffset,
                position,
                windowBytes == 0
                        ? links.get(locate.linkId()).export(segment)
                        : window(links.get(locate.linkId()), segment, position, batch),
                segment.sealed ? segment.sizeBytes : -1);
    }

    private RemoteMemory window(PeerLink link, PeerLog.Segment segment, int position, PeerLog.Batch batch)
            throws IOException {
        int batchBytes = batch == null || windowsTooShort ? 0 : batch.bytes().length;
        int end = windowsTooShort ? position + 20 : windowBytes + position / PAGE * PAGE;
        return link.exportWindow(segment, position, Math.max(end, position + batchBytes));
    }

    private void onConnectionRequest(ConnectionRequest request) {
        ByteBuffer token = request.privateData();
        PeerLink link = awaitingConnect.remove(token.getLong(token.position()));
        if (link == null) {
            request.reject("unknown token");
            return;
        }
        QueuePairConfig config =
                new QueuePairConfig(link.domain, link.completions, 512, 2 * link.credits, (pair, reason) -> {});
        request.accept(config)
                .thenAccept(accepted -> thread.execute(() -> {
                    links.put(link.linkId, link);
                    link.connected(accepted);
                }));
    }

    /** Ends the plugin without notice to the peers of its queue pairs. */
    void closeControlConnections() {
        connections.forEach(Channel::close);
        connections.clear();
    }

    private void dropLinks() {
        links.values().forEach(PeerLink::close);
        links.clear();
    }

    @Override
    public void close() {
        server.close().syncUninterruptibly();
        if (tcpServer != null) {
            tcpServer.close().syncUninterruptibly();
        }
        connections.forEach(channel -> channel.close().syncUninterruptibly());
        run(this::dropLinks);
        thread.shutdown();
        listener.close();
        device.close();
        controlGroup.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
