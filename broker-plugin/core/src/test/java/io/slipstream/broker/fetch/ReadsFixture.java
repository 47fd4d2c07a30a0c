// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.broker.config.TopicSet;
import io.slipstream.broker.session.BoundSession;
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.broker.session.SessionLifetime;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.protocol.slot.SlotTableHeader;
import io.slipstream.protocol.slot.SlotView;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.apache.kafka.common.Uuid;

/** The read side over scripted logs, and a link's view of it. */
final class ReadsFixture implements AutoCloseable, PartitionLogs {
    static final int LEASE_MS = 120;
    static final int WINDOW_BYTES = 1 << 16;
    static final int MOST_REGIONS = 1000;
    static final long BOOT_ID = 0x1234_5678_9abcL;

    final Map<String, Located> outcomes = new ConcurrentHashMap<>();
    final Map<Object, Boolean> denied = new ConcurrentHashMap<>();
    /** Questions to the authorizer. */
    final AtomicInteger asked = new AtomicInteger();
    /** By topic: a log, or an authorizer asked about it, that does not answer before that. */
    final Map<String, CountDownLatch> hangingLogs = new ConcurrentHashMap<>();

    final Map<String, CountDownLatch> hangingRights = new ConcurrentHashMap<>();
    /** Calls that have begun to wait for one of those. */
    final AtomicInteger hung = new AtomicInteger();

    final ScriptedAccounts accounts = new ScriptedAccounts();
    final SlotReads reads;
    private final List<Link> links = new ArrayList<>();

    ReadsFixture(int slots, long registeredBytes) {
        reads = new SlotReads(
                new ReadsConfig(
                        BOOT_ID,
                        slots,
                        LEASE_MS,
                        registeredBytes,
                        MOST_REGIONS,
                        WINDOW_BYTES,
                        LogDirectories.READABLE,
                        TopicSet.NONE),
                this,
                accounts);
    }

    void serve(ScriptedLog log, ScriptedSegment segment, int sealedBytes) {
        outcomes.put(log.topic(), new Located(log, segment, 0, 0, sealedBytes));
    }

    @Override
    public Located locate(Object requestContext, boolean isAllowed, ControlRequest.Locate request) {
        Located found = outcomes.get(request.topic());
        if (found == null || !(isAllowed || mayStillRead(requestContext, request.topic()))) {
            throw new RefusedException(
                    ControlError.NOT_READABLE, found == null ? "unknown topic" : PartitionLogs.NOT_AUTHORIZED);
        }
        pass(hangingLogs.get(request.topic()));
        return found;
    }

    @Override
    public boolean mayStillRead(Object requestContext, String topic) {
        asked.incrementAndGet();
        pass(hangingRights.get(topic));
        return !denied.containsKey(requestContext);
    }

    private void pass(CountDownLatch gate) {
        if (gate == null) {
            return;
        }
        hung.incrementAndGet();
        try {
            if (!gate.await(30, TimeUnit.SECONDS)) {
                throw new AssertionError("nobody opened the gate");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    Link link(IntConsumer doorbell) throws Exception {
        return added(Link.open(reads, false, doorbell));
    }

    /** Opens a link whose device pins registered files. */
    Link pinnedLink() throws Exception {
        return added(Link.open(reads, true, slot -> {}));
    }

    private Link added(Link link) {
        links.add(link);
        return link;
    }

    static BoundSession session(int id) {
        return session(id, "User:alice");
    }

    static BoundSession session(int id, String principal) {
        return new BoundSession(
                1,
                id,
                new ObservedConnection("connection-" + id, "", "PLAINTEXT", principal, false, "principal-" + id),
                SessionLifetime.UNLIMITED);
    }

    /** Makes a session whose authentication expires at that time of {@link System#nanoTime}. */
    static BoundSession session(int id, AtomicLong endNs) {
        return new BoundSession(
                1,
                id,
                new ObservedConnection("connection-" + id, "", "PLAINTEXT", "User:alice", false, "principal-" + id),
                new SessionLifetime() {
                    @Override
                    public boolean isOver(long nowNs) {
                        return nowNs - endNs.get() > 0;
                    }

                    @Override
                    public Object current(Object requestContext) {
                        return requestContext;
                    }
                });
    }

    @Override
    public void close() throws IOException {
        reads.close();
        for (Link link : links) {
            link.peer().close();
        }
    }

    /** One link, and the peer that reads over it. */
    record Link(ReaderPeer peer, LinkSlots reads) {
        static Link open(SlotReads reads, boolean pinned, IntConsumer doorbell) throws Exception {
            ReaderPeer peer = new ReaderPeer();
            LinkSlots opened =
                    reads.open(peer, pinned ? peer.pinning() : peer.brokerDomain(), peer.brokerQueuePair(), doorbell);
            opened.exported.toCompletableFuture().get(10, TimeUnit.SECONDS);
            return new Link(peer, opened);
        }

        ControlResponse.Locate locate(BoundSession session, String topic) throws Exception {
            return reads.locate(
                            session,
                            new ControlRequest.Locate(1, session.sessionId, Uuid.ZERO_UUID, topic, 0, 0, -1, -1))
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS);
        }

        ControlResponse.ListAborted listAborted(BoundSession session, ControlResponse.Locate located, long fetchOffset)
                throws Exception {
            return reads.listAborted(new ControlRequest.ListAborted(
                            1,
                            session.sessionId,
                            located.slot(),
                            located.generation(),
                            located.segmentBaseOffset(),
                            fetchOffset))
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS);
        }

        /** Returns the same link with Locate on behalf of that session. */
        SlotAccess as(BoundSession session) {
            return new SlotAccess() {
                @Override
                public ControlResponse.Locate locate(ControlRequest.Locate request) throws Exception {
                    return reads.locate(session, request).toCompletableFuture().get(10, TimeUnit.SECONDS);
                }

                @Override
                public RemoteMemory slotTable() {
                    return reads.slotTable();
                }

                @Override
                public ByteBuffer read(RemoteMemory memory, long offset, int lengthBytes) {
                    return peer.read(memory, offset, lengthBytes);
                }
            };
        }

        SlotView slot(int index) {
            return as(null).slot(index);
        }

        SlotTableHeader header() {
            byte[] copy = new byte[SlotLayout.HEADER_BYTES];
            peer.read(reads.slotTable(), 0, SlotLayout.HEADER_BYTES).get(0, copy);
            return new SlotTableHeader().wrap(ByteBuffer.wrap(copy), 0);
        }

        /** Arms the slot's doorbell. */
        void arm(int index) {
            peer.write(reads.armTable(), (long) index * Long.BYTES, 1L);
        }
    }
}
