// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.netty.channel.EventLoop;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.concurrent.ScheduledFuture;
import io.slipstream.link.memory.LinkMemory;
import io.slipstream.link.memory.ReadMemory;
import io.slipstream.link.meter.LinkFailure;
import io.slipstream.link.read.Lease;
import io.slipstream.link.read.SlotTableReader;
import io.slipstream.link.ring.LinkSession;
import io.slipstream.link.ring.ReplyRingReader;
import io.slipstream.link.ring.RequestRingWriter;
import io.slipstream.link.settings.LinkSettings;
import io.slipstream.link.work.CompletionHandler;
import io.slipstream.link.work.CompletionPump;
import io.slipstream.link.work.Contained;
import io.slipstream.link.work.LinkPort;
import io.slipstream.link.work.LoopTurn;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.ring.RingApis;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.WorkCompletion;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A link that is up: queue pair, rings, slots, and the sessions bound to it. Confined to its event loop.
 *
 * <pre>
 *   UP ──queue pair or control connection ended, protocol violated──▶ ENDING ──all posted work has completed──▶ ENDED
 *   UP ──no session for a while─────────────────────────────────────▶ ENDING
 * </pre>
 *
 * <p>In ENDING the link accepts no new work and waits until the device no longer uses our memory. Only the flushed
 * completions prove that: the data of a late READ would otherwise overwrite a buffer that another Fetch uses by then.
 * Replies that arrived before the end are still valid unless the plugin violated the protocol. Their requests are
 * answered, so that no client resends a request that the broker has answered. Then the link informs its users in this
 * order: requests in the ring (unknown outcome), requests not yet written, sessions.
 */
public final class LiveLink implements CompletionPump.Sink {
    private static final long MOST_END_NS = TimeUnit.SECONDS.toNanos(5);
    private static final Logger log = LoggerFactory.getLogger(LiveLink.class);

    public final EventLoop loop;
    private final LinkEnvironment environment;
    final LinkEstablisher.Parts parts;
    private final LinkMemory memory;
    private final CompletionPump pump;
    private final LinkPort port;
    public final RequestRingWriter requests;
    private final ReplyRingReader replies;
    public final SlotTableReader slots;
    public final Lease lease;
    public final SegmentGrants segments;
    /** Accounts of the reads that were served through this link. */
    public final ReadLedger reads;

    private final ArrayDeque<Runnable> waitingForRoom = new ArrayDeque<>();
    private final IntObjectHashMap<LinkSession> sessions = new IntObjectHashMap<>();
    private final LinkGauges gauges;
    private final long leaseNs;
    /** Whether the request ring carries what {@link RingApis} names; false with a plugin of another release. */
    public final boolean carriesMoreThanProduce;

    private ScheduledFuture<?> heartbeat;
    private final Runnable onDown;
    /** Completes on the event loop when all resources of this link are released. */
    final CompletableFuture<Void> ended = new CompletableFuture<>();

    private ScheduledFuture<?> endDeadline;
    private String endReason;
    private boolean up = true;
    /** Whether replies are valid: false after a protocol violation of the plugin. */
    private boolean repliesCount = true;

    private boolean wasFresh = true;
    /** When the link last had a session, or came up. */
    private long usedAtNs = System.nanoTime();
    /** Whether the link ended because it had no session. */
    boolean idle;

    /** @param onDown run once when the link has ended, by {@link BrokerLink} */
    LiveLink(
            LoopTurn turn,
            LinkEnvironment environment,
            LinkEstablisher.Parts parts,
            ControlResponse.AttachLink attached,
            Runnable onDown) {
        LinkSettings settings = environment.settings();
        ControlResponse.Hello hello = parts.connection().hello();
        this.loop = turn.loop;
        this.environment = environment;
        this.parts = parts;
        this.memory = parts.memory();
        this.onDown = onDown;
        this.port = parts.port();
        int slotCount = Math.min(attached.slotCount(), LinkEstablisher.MAX_SLOTS);
        this.slots = new SlotTableReader(port, memory, attached.slotTable(), attached.armTable(), slotCount);
        this.leaseNs = TimeUnit.MILLISECONDS.toNanos(hello.leaseMs());
        this.carriesMoreThanProduce = RingApis.FEATURE.equals(hello.message());
        this.lease = new Lease(port, attached.slotTable(), memory, hello.bootId(), leaseNs);
        this.segments = new SegmentGrants(this);
        this.reads = new ReadLedger(this, slotCount);
        this.pump = new CompletionPump(
                turn, parts.completions(), settings.transport().spinNs(), this);
        port.attach(pump);
        this.requests = new RequestRingWriter(
                loop,
                port,
                attached.requestRing(),
                memory,
                Math.min(attached.credits(), settings.credits()),
                settings.waitingRequests(),
                hello.maxFrameBytes(),
                settings.ringWaitNs(),
                environment.meters().operations,
                reason -> fail(LinkFailure.QUEUE_PAIR, reason));
        if (RingFrame.RESTARTS.equals(attached.message())) {
            requests.space.restartWhenEmpty();
        }
        this.replies =
                new ReplyRingReader(memory, environment.allocator(), requests, sessions, port, attached.controlWord());
        // Last, because nothing would unregister them if a part could not be made.
        this.gauges = new LinkGauges(environment.meters().registry);
    }

    /** Starts to handle completions and to check the lease. */
    void start() {
        heartbeat = loop.scheduleAtFixedRate(
                this::checkLease, 0, Math.max(1, leaseNs / Lease.LOOKS_PER_LEASE), TimeUnit.NANOSECONDS);
        lease.refresh();
        pump.start();
    }

    public boolean isUp() {
        return up;
    }

    public int linkId() {
        return parts.linkId();
    }

    public ControlResponse.Hello hello() {
        return parts.connection().hello();
    }

    public LinkMeters meters() {
        return environment.meters();
    }

    /** Sends a control request; the answer, null if there is none, arrives on this link's event loop. */
    public void ask(ControlRequest request, Consumer<ControlResponse> answer) {
        parts.connection().ask(request, loop, answer);
    }

    public void tell(ControlRequest request) {
        if (up) {
            parts.connection().tell(request, loop);
        }
    }

    /** Adds a session, which is informed when the link ends. */
    public void bind(int sessionId, LinkSession session) {
        sessions.put(sessionId, session);
        environment.meters().sessionsBound.increment();
    }

    public void unbind(int sessionId) {
        if (sessions.remove(sessionId) != null) {
            environment.meters().sessionsBound.decrement();
            reads.close(sessionId);
            tell(new ControlRequest.CloseSession(parts.linkId(), sessionId));
        }
    }

    /** Memory into which this link can READ. */
    public ReadMemory readMemory() {
        return memory.reads();
    }

    /**
     * Posts a READ of granted memory into {@link #readMemory}.
     *
     * @return false if it could not be posted
     */
    public boolean read(CompletionHandler handler, long localAddress, int lengthBytes, long remoteAddress, int rkey) {
        return up && port.read(handler, memory.reads().localKey(), localAddress, lengthBytes, remoteAddress, rkey);
    }

    /**
     * Runs the waiter once, in the order of requests, after the answers of a turn were written and when the link has
     * room for a {@link #read}, unless earlier waiters took it. The waiter may have given up by then. Each client
     * connection waits at most once, and once more to read ahead.
     */
    public void awaitRoom(Runnable waiter) {
        waitingForRoom.add(waiter);
        pump.markToKeep();
    }

    private void checkLease() {
        lease.refresh();
        if (lease.isForeign()) {
            fail(LinkFailure.PROTOCOL, "the slot table does not belong to the broker that answered Hello");
        } else if (up) {
            boolean fresh = lease.isFresh();
            if (!fresh && wasFresh) {
                log.warn("slots of link {} are stale: the broker's heartbeat has stopped", parts.linkId());
                environment.meters().grantsExpired.add(segments.size());
                slots.wakeAll();
            }
            wasFresh = fresh;
            endIfIdle();
        }
    }

    private void endIfIdle() {
        long now = System.nanoTime();
        if (!sessions.isEmpty() || !reads.isReported()) {
            usedAtNs = now;
        } else if (now - usedAtNs > environment.settings().idleNs()) {
            log.info("link {} to broker {} ends: no client uses it", linkId(), hello().nodeId());
            idle = true;
            fail(LinkFailure.CLOSED, "no client uses the link");
        }
    }

    public void onReadOverdue() {
        fail(LinkFailure.TIMEOUT, "a READ did not complete in time");
    }

    /** What threw may have left the link's state incomplete, so the link ends. Other links, and clients, do not. */
    @Override
    public void onThrown(Throwable thrown) {
        log.error("link {} failed in the proxy", parts.linkId(), thrown);
        fail(LinkFailure.INTERNAL_ERROR, thrown.toString());
    }

    @Override
    public void onCompletion(WorkCompletion completion) {
        if (completion.status != CompletionStatus.SUCCESS) {
            fail(LinkFailure.QUEUE_PAIR, completion.opcode + " completed with " + completion.status);
        }
        if (!up) {
            onCompletionAtEnd(completion);
        } else if (completion.opcode == Opcode.RECV_WITH_IMM) {
            onImmediate(completion.imm, completion.byteLen);
        } else if (!port.complete(completion)) {
            fail(LinkFailure.PROTOCOL, "completion of an unknown request");
        }
    }

    private void onImmediate(int imm, int landedBytes) {
        if (!port.postReceive()) {
            fail(LinkFailure.QUEUE_PAIR, "receive refused");
            return;
        }
        if ((imm & RingFrame.IMM_SLOT_DOORBELL) != 0) {
            if (!slots.ring(imm & ~RingFrame.IMM_SLOT_DOORBELL)) {
                fail(LinkFailure.PROTOCOL, "doorbell of a slot that does not exist");
            }
            return;
        }
        String broken = replies.accept(imm, landedBytes);
        if (broken != null) {
            fail(LinkFailure.PROTOCOL, broken);
        }
    }

    /** Receives use no memory of ours. Replies that arrived before the end and are not yet handled are found here. */
    private void onCompletionAtEnd(WorkCompletion completion) {
        if (completion.opcode == Opcode.RECV_WITH_IMM) {
            boolean isReply = completion.status == CompletionStatus.SUCCESS
                    && (completion.imm & RingFrame.IMM_SLOT_DOORBELL) == 0;
            if (isReply && repliesCount) {
                repliesCount = replies.accept(completion.imm, completion.byteLen) == null;
            }
        } else if (completion.opcode != Opcode.RECV) {
            port.complete(completion);
        } else {
            // Receives complete in order, so all replies were found.
            endIfFlushed();
        }
    }

    private void endIfFlushed() {
        if (port.outstanding() == 0 && !ended.isDone()) {
            environment.meters().fencesDrained.increment();
            end();
        }
    }

    @Override
    public void onIdle() {
        if (!up) {
            endIfFlushed();
            return;
        }
        replies.publishIfDue();
        while (!waitingForRoom.isEmpty() && port.hasRoomToRead()) {
            waitingForRoom.poll().run();
        }
        gauges.update(requests.space.usedBytes(), port.outstanding());
    }

    @Override
    public int outstanding() {
        return port.outstanding();
    }

    void fail(LinkFailure failure, String reason) {
        if (!up) {
            return;
        }
        reads.reportLast();
        up = false;
        repliesCount = failure != LinkFailure.PROTOCOL;
        if (failure != LinkFailure.CLOSED) {
            log.warn("link {} to broker {} lost: {}", linkId(), hello().nodeId(), reason);
            environment.meters().linkFailed(failure);
        }
        endReason = reason;
        heartbeat.cancel(false);
        gauges.close();
        port.refuse();
        parts.queuePair().disconnect(reason);
        endDeadline = loop.schedule(this::abandon, MOST_END_NS, TimeUnit.NANOSECONDS);
        pump.mark();
    }

    /** The device failed to flush all completions. The memory that they name is never reused. */
    private void abandon() {
        log.error(
                "link {}: {} work requests were not flushed in time; the memory for reading is retired",
                parts.linkId(),
                port.outstanding());
        memory.reads().retire();
        environment.meters().fencesAbandoned.increment();
        end();
    }

    /** Without one of these steps the link would never come back, or a client would wait for ever. */
    private void end() {
        if (ended.isDone()) {
            return;
        }
        String reason = endReason;
        endDeadline.cancel(false);
        Contained.run("the end of a completion pump", pump::close);
        if (!Contained.run("the end of a queue pair", parts.queuePair()::close)) {
            // The device may still write into it.
            memory.reads().retire();
        }
        requests.close(reason);
        port.close();
        endSessions(reason);
        lease.close();
        Contained.run("the end of a completion queue", parts.completions()::close);
        Contained.run("the release of a link's memory", () -> memory.close(environment.setup()));
        onDown.run();
        ended.complete(null);
    }

    private void endSessions(String reason) {
        LinkSession[] bound = sessions.values().toArray(new LinkSession[0]);
        sessions.clear();
        environment.meters().sessionsBound.add(-bound.length);
        for (LinkSession session : bound) {
            Contained.run("a client at the end of its link", () -> session.onLinkLost(reason));
        }
    }
}
