// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.netty.channel.Channel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.slipstream.broker.config.PluginConfig;
import io.slipstream.broker.config.TopicSet;
import io.slipstream.broker.control.LinkLimits;
import io.slipstream.broker.control.LinkService;
import io.slipstream.broker.control.LinkTable;
import io.slipstream.broker.fetch.Located;
import io.slipstream.broker.fetch.LogDirectories;
import io.slipstream.broker.fetch.PartitionLogs;
import io.slipstream.broker.fetch.ReadsConfig;
import io.slipstream.broker.fetch.SlotReads;
import io.slipstream.broker.kafka.BrokerHandle;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.broker.ring.RingFrameIn;
import io.slipstream.broker.ring.RingGuard;
import io.slipstream.broker.ring.RingHandler;
import io.slipstream.broker.ring.RingThread;
import io.slipstream.broker.session.NonceTable;
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.broker.session.SessionTable;
import io.slipstream.protocol.control.ControlCodec;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.rdma.RdmaListener;
import io.slipstream.simulation.Delays;
import io.slipstream.simulation.Host;
import io.slipstream.simulation.PlainSocket;
import io.slipstream.simulation.VirtualLoop;
import io.slipstream.simulation.VirtualThread;
import io.slipstream.simulation.VirtualTime;
import io.slipstream.simulation.World;
import io.slipstream.simulation.rdma.Fabric;
import io.slipstream.simulation.rdma.SimulatedCompletionQueue;
import io.slipstream.simulation.rdma.SimulatedDevice;
import io.slipstream.simulation.rdma.SimulatedProvider;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * One life of the broker process: the plugin's own classes, assembled as in {@code PluginServer}, around model logs. A
 * handler thread takes requests from the rings as the broker's would. {@link Partitions} models the rest of the broker.
 */
public final class Broker implements PartitionLogs {
    public static final String CLUSTER = "simulated";
    private static final long COORDINATOR_NS = 300_000;
    private static final int PENDING_NONCES = 64;
    private static final long STALL_LOOK_NS = 1_000_000;

    private final World world;
    private final Host host;
    private final Partitions partitions;
    private final SimulatedDevice device;
    private final VirtualLoop controlLoop;
    private final RingHandler handler;
    private final SlotReads reads;
    private final LinkTable links;
    private final LinkService service;
    private final SessionTable sessions;
    private final ReplicaFetches fetches;
    private final RdmaListener listener;
    private final List<PlainSocket> clients = new ArrayList<>();
    private final PluginMeters counters = new PluginMeters();
    private boolean poked;
    private boolean closed;

    /** Starts the process. */
    public Broker(World world, Host host, Fabric fabric, Partitions partitions, PluginConfig config)
            throws IOException {
        this.world = world;
        this.host = host;
        this.partitions = partitions;
        this.device = new SimulatedDevice(fabric, host);
        this.controlLoop = VirtualLoop.of(world, host);
        long bootId = world.random(Integer.MAX_VALUE) + 1L;
        SimulatedCompletionQueue completions =
                (SimulatedCompletionQueue) device.createCompletionQueue(LinkLimits.completionsPerThread(config));
        completions.onCompletion(this::poke);
        // Often one reply at a time, which best reveals errors in the reported ring space.
        int mostHeldReplies = config.ringCredits() % 2 == 0 ? 1 : RingThread.MOST_HELD_REPLIES;
        RingThread ring =
                new RingThread(completions, LinkLimits.linksPerThread(config), config.pollSpinNs(), mostHeldReplies);
        this.handler = new RingHandler(ring);
        this.reads = new SlotReads(
                new ReadsConfig(
                        bootId,
                        config.slots(),
                        config.leaseMs(),
                        config.registeredBytes(),
                        Integer.MAX_VALUE,
                        config.readWindowBytes(),
                        LogDirectories.READABLE,
                        TopicSet.NONE),
                this,
                partitions.books());
        Hooks hooks = Hooks.ofLastOpened();
        NonceTable nonces = new NonceTable(PENDING_NONCES, VirtualTime::nanoTime);
        this.sessions = new SessionTable(nonces, counters, config.maxSessions(), 0, config.exclusions());
        this.fetches = new ReplicaFetches(
                world, host, partitions.node(), partitions.replicas().byNumber());
        BrokerHandle handle = new BrokerHandle(
                null,
                null,
                CLUSTER,
                partitions.node(),
                bootId,
                1 << 20,
                partitions.fetchMaxBytes(),
                false,
                List.of(),
                config);
        VirtualThread closer = VirtualThread.of(world, host);
        this.links = new LinkTable(
                config, controlLoop, closer, closer, device, List.of(ring), reads, nonces, sessions, counters);
        this.listener = device.listen("broker-" + partitions.node(), links::onConnectionRequest);
        this.service = new LinkService(handle, SimulatedProvider.NAME, listener.address(), links);
        partitions.started(this, hooks);
        look();
    }

    public Host host() {
        return host;
    }

    /** Accepts a control connection. */
    public VirtualLoop accept(Channel connection) {
        connection
                .pipeline()
                .addLast(new LengthFieldBasedFrameDecoder(ControlCodec.MAX_FRAME_BYTES + Integer.BYTES, 0, 4, 0, 4))
                .addLast(new ControlEnd(service));
        return controlLoop;
    }

    /** Accepts a client's own connection. */
    public PlainSocket acceptClient() {
        KafkaEnd end = new KafkaEnd(world, this, partitions);
        clients.add(end.socket());
        return end.socket();
    }

    /** Reports that the broker handled an ApiVersions request of a client's own connection. */
    public void onApiVersions(int connection, String nonce) {
        sessions.onApiVersions(new ObservedConnection(
                "connection-" + connection,
                nonce,
                "PLAINTEXT",
                partitions.rights().principalOf(connection),
                false,
                connection));
        poke();
    }

    /** A connection has ended. */
    public void onDisconnect(int connection) {
        sessions.onDisconnect("connection-" + connection);
        poke();
    }

    /** Handles a Fetch of a follower that came on its own connection. */
    public void fetch(ByteBuffer request, Consumer<byte[]> then) {
        world.after(partitions.handlerNs(), host, () -> fetches.handle(request, then));
    }

    ReplicaFetches fetches() {
        return fetches;
    }

    // Handler thread.

    /** Wakes the handler thread, which may have work. */
    void poke() {
        if (!poked && !closed) {
            poked = true;
            world.after(Delays.threadTurn(world), host, this::turn);
        }
    }

    /** Polls as the plugin does for a stalled reply ring. */
    private void look() {
        world.after(STALL_LOOK_NS, host, () -> {
            if (!closed) {
                poke();
                look();
            }
        });
    }

    private void turn() {
        RingFrameIn frame = closed ? null : handler.poll(0);
        if (frame == null) {
            poked = false;
            return;
        }
        // Handling takes time, and the thread is busy meanwhile.
        world.after(partitions.handlerNs(), host, () -> {
            handle(frame);
            world.after(0, host, this::turn);
        });
    }

    private void handle(RingFrameIn frame) {
        int connection = (Integer) frame.session.bound.requestContext();
        boolean isOfFollower = Replicas.isOfFollower(connection);
        String refusal = RingGuard.refusal(frame.payload(), isOfFollower);
        if (refusal != null) {
            world.violate("requests", "a landed frame is refused: " + refusal);
            return;
        }
        if (isOfFollower) {
            fetches.handle(frame.payload(), answer -> {
                frame.link.reply(Reply.of(frame, answer, (short) 1));
                poke();
            });
            frame.releaseBytes();
            return;
        }
        partitions.onLanded(connection, frame);
        if (frame.payload().getShort(0) == KafkaEnd.LIST_OFFSETS) {
            handleAlone(frame, connection);
            return;
        }
        ProduceFrames.Decoded request = ProduceFrames.decode(frame.payload());
        if (partitions.throttles()) {
            frame.link.throttle(frame.session, true);
            world.after(200_000, host, () -> {
                frame.link.throttle(frame.session, false);
                poke();
            });
        }
        partitions.produce(request, frame.payload(), answer -> {
            frame.link.reply(Reply.of(frame, answer, request.acks()));
            poke();
        });
        frame.releaseBytes();
    }

    /** Handles a request that must be alone on its connection; it may be answered later, as by a coordinator. */
    private void handleAlone(RingFrameIn frame, int connection) {
        int correlationId = frame.payload().getInt(4);
        partitions.beginAlone(connection, correlationId);
        frame.releaseBytes();
        world.after((correlationId & 2) == 0 ? 1 : COORDINATOR_NS, host, () -> {
            partitions.endAlone(connection);
            frame.link.reply(Reply.of(frame, OtherAnswers.of(correlationId), (short) 1));
            poke();
        });
    }

    // Calls of the read side.

    @Override
    public Located locate(Object requestContext, boolean isAllowed, ControlRequest.Locate request) {
        return partitions.locate((Integer) requestContext, isAllowed, request);
    }

    @Override
    public boolean mayStillRead(Object requestContext, String topic) {
        return partitions.rights().mayRead((Integer) requestContext);
    }

    // End of the process.

    /** SIGKILL. */
    public void kill() {
        closed = true;
        host.kill();
        device.kill();
        listener.close();
        controlLoop.abandonChannels();
        clients.forEach(PlainSocket::close);
    }

    /** Closes all links, as at a broker shutdown. */
    public void closeLinks() {
        controlLoop.execute(() -> links.closeAll("the broker shuts down"));
        poke();
    }

    /** Call after {@link #closeLinks}, when all is quiet. */
    public void close() {
        closed = true;
        reads.close();
        listener.close();
        device.close();
    }

    /** Returns a description of remaining links; there must be none after closing. */
    public String residue() {
        return counters.get(PluginMeter.LINKS_OPEN) == 0
                        && reads.registeredBytes() == 0
                        && device.registeredBytes() == 0
                ? null
                : counters.get(PluginMeter.LINKS_OPEN) + " links, " + reads.registeredBytes()
                        + " bytes of segments and " + device.registeredBytes()
                        + " registered bytes are left at the broker";
    }

    /** Returns the number of links that the plugin broke, without those that peers ended during an operation. */
    public long linksBroken() {
        return Math.max(0, counters.get(PluginMeter.LINKS_BROKEN) - device.connectionsEndedByPeers());
    }
}
