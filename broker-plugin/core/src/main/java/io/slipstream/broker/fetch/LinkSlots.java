// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.broker.session.BoundSession;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.apache.kafka.common.cache.LRUCache;

/**
 * The grants of one link. The public methods run on the control thread and use only concurrent collections.
 * All other methods, and every lock of a log, belong to the worker thread of {@link SlotReads}, or to its rights
 * thread. A log on a slow disk therefore does not block the control channel.
 */
public final class LinkSlots implements AutoCloseable {
    /**
     * Largest number of regions of a link, far above the needs of its readers. It stops a proxy that never releases
     * any.
     */
    private static final int MAX_REGIONS = 8192;

    private static final int MOST_ENDED_SESSIONS = 256;
    /**
     * Largest number of pending reports. A proxy waits for each answer before it sends the next report, except for its
     * last one.
     */
    private static final int MOST_PENDING_REPORTS = 4;

    private final SlotReads reads;
    /** The proxy whose link this is. */
    final Object proxy;

    final ProtectionDomain domain;
    final QueuePair queuePair;
    final SlotTablePublisher table;
    private final LinkAccount account;
    /**
     * Completes when the peer can use the slot table and the arm table. Completes exceptionally if the connection
     * breaks first.
     */
    public final CompletionStage<Void> exported;

    private final AtomicBoolean closed = new AtomicBoolean();
    /** Completes, never exceptionally, when all memory of this link is free after {@link #close}. */
    public final CompletableFuture<Void> freed = new CompletableFuture<>();

    /** Open sessions that have located an offset. The control thread writes, the worker reads. */
    private final Map<Integer, BoundSession> sessions = new ConcurrentHashMap<>();
    /** The worker writes, the control thread and the rights thread read. */
    private final Map<Integer, GrantedSlot> slotsByIndex = new ConcurrentHashMap<>();
    /** Exports by rkey. The worker puts, both threads remove. */
    private final Map<Integer, SegmentExport> exportsByKey = new ConcurrentHashMap<>();
    /**
     * Sessions that ended last. Their proxy learns of it, and sends its last report, a moment later. Control thread
     * only.
     */
    private final LRUCache<Integer, BoundSession> ended = new LRUCache<>(MOST_ENDED_SESSIONS);

    private final AtomicInteger pendingReports = new AtomicInteger();
    /** Sessions and topics that the authorizer allowed since the last check of all rights. Each check has a new set. */
    volatile Set<List<Object>> allowed = ConcurrentHashMap.newKeySet();

    /** Worker thread only. */
    private final IdentityHashMap<Object, GrantedSlot> slotsByLog = new IdentityHashMap<>();

    LinkSlots(
            SlotReads reads,
            Object proxy,
            ProtectionDomain domain,
            QueuePair queuePair,
            SlotTablePublisher table,
            LinkAccount account) {
        this.reads = reads;
        this.proxy = proxy;
        this.domain = domain;
        this.queuePair = queuePair;
        this.table = table;
        this.account = account;
        this.exported = CompletableFuture.allOf(
                queuePair.export(table.table).toCompletableFuture(),
                queuePair.export(table.arms).toCompletableFuture());
    }

    /** Returns the slot table, for the answer to AttachLink, once {@link #exported}. */
    public RemoteMemory slotTable() {
        return remoteMemory(table.table);
    }

    public RemoteMemory armTable() {
        return remoteMemory(table.arms);
    }

    /** Returns the name of a region in messages to the proxy. */
    public static RemoteMemory remoteMemory(MemoryRegion region) {
        return new RemoteMemory(region.address(), region.lengthBytes(), region.rkey());
    }

    public int slotCount() {
        return table.slotCount();
    }

    /** Never completes exceptionally: a refusal is an answer. May complete on another thread. */
    public CompletionStage<ControlResponse.Locate> locate(BoundSession session, ControlRequest.Locate request) {
        if (!closed.get()) {
            sessions.putIfAbsent(session.sessionId, session);
        }
        return reads.locate(this, session, request);
    }

    /** Never completes exceptionally: a refusal is an answer. May complete on another thread. */
    public CompletionStage<ControlResponse.ListAborted> listAborted(ControlRequest.ListAborted request) {
        GrantedSlot slot = slotsByIndex.get(request.slot());
        if (slot == null || slot.generation != request.generation() || !slot.sessions.contains(request.sessionId())) {
            return CompletableFuture.completedFuture(SlotReads.refusal(
                    request, ControlError.UNKNOWN_HANDLE, "the session holds no slot of that index and generation"));
        }
        return reads.listAborted(slot, request);
    }

    public ControlResponse.ReleaseSegment releaseSegment(ControlRequest.ReleaseSegment request) {
        SegmentExport export = exportsByKey.remove(request.rkey());
        if (export == null) {
            return new ControlResponse.ReleaseSegment(
                    ControlError.UNKNOWN_HANDLE, "no segment of this link has that key");
        }
        reads.onWorker(() -> deregister(export));
        return new ControlResponse.ReleaseSegment(ControlError.NONE, null);
    }

    public ControlResponse.ReleaseSlot releaseSlot(ControlRequest.ReleaseSlot request) {
        GrantedSlot slot = slotsByIndex.get(request.slot());
        if (slot == null || slot.generation != request.generation() || !slot.sessions.remove(request.sessionId())) {
            return new ControlResponse.ReleaseSlot(
                    ControlError.UNKNOWN_HANDLE, "the session holds no slot of that index and generation");
        }
        reads.onWorker(this::revokeUnused);
        return new ControlResponse.ReleaseSlot(ControlError.NONE, null);
    }

    /**
     * Enters the proxy's reads into the broker's metrics and quotas. Never completes exceptionally; completes on
     * another thread.
     *
     * @param bound returns the link's session of an id, null if there is none; not called after this method returns
     */
    public CompletionStage<ControlResponse.ReportReads> report(
            ControlRequest.ReportReads request, IntFunction<BoundSession> bound) {
        if (pendingReports.get() >= MOST_PENDING_REPORTS) {
            return CompletableFuture.completedFuture(
                    SlotReads.refusal(request, ControlError.LIMIT, "earlier reports are pending"));
        }
        LinkAccount.Reader[] readers = new LinkAccount.Reader[request.sessions().size()];
        for (int i = 0; i < readers.length; i++) {
            int sessionId = request.sessions().get(i).sessionId();
            BoundSession open = bound.apply(sessionId);
            BoundSession known = open == null ? ended.get(sessionId) : open;
            readers[i] = known == null ? null : new LinkAccount.Reader(known, open != null);
        }
        pendingReports.incrementAndGet();
        return reads.report(account, request, readers)
                .whenComplete((answer, failure) -> pendingReports.decrementAndGet());
    }

    /** Releases all grants of the session. Reports about it still count for a moment. */
    public void sessionClosed(BoundSession session) {
        int sessionId = session.sessionId;
        ended.put(sessionId, session);
        if (sessions.remove(sessionId) != null) {
            reads.onWorker(() -> {
                account.sessionClosed(sessionId);
                slotsByLog.values().forEach(slot -> slot.sessions.remove(sessionId));
                revokeUnused();
            });
        }
    }

    /** Releases everything, regions included. This is the last call, and not on the control thread. Idempotent. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            reads.closed(this);
        }
    }

    /** Rights thread: revokes the slots of sessions whose authentication will have expired at that time. */
    void endExpired(long untilNs) {
        for (GrantedSlot slot : slotsByIndex.values()) {
            for (Integer sessionId : slot.sessions) {
                BoundSession session = sessions.get(sessionId);
                // As in reauthorize: the slot's other sessions locate again.
                if (session != null && !slot.revoked && session.lifetime.isOver(untilNs)) {
                    reads.expirations.increment();
                    reads.directory.revoke(slot);
                }
            }
        }
    }

    /** Rights thread: revokes slots that sessions of this link may no longer read. */
    void reauthorize(PartitionLogs logs) {
        allowed = ConcurrentHashMap.newKeySet();
        Map<List<Object>, Boolean> answers = new HashMap<>();
        for (GrantedSlot slot : slotsByIndex.values()) {
            String topic = slot.feed.readable.topic();
            for (Integer sessionId : slot.sessions) {
                BoundSession session = sessions.get(sessionId);
                // The slot belongs to the link. After the revocation its other sessions locate again, and this session
                // is refused.
                if (session != null
                        && !slot.revoked
                        && !answers.computeIfAbsent(
                                List.of(sessionId, topic),
                                asked -> logs.mayStillRead(session.requestContext(), topic))) {
                    reads.directory.take(slot);
                }
            }
        }
    }

    // The methods below run on the worker thread.

    /** Returns the link's slot for the log, and takes a new one if there is none. Throws if it is refused. */
    GrantedSlot grant(BoundSession session, ReadableLog log, long nowNs) {
        if (closed.get() || !sessions.containsKey(session.sessionId)) {
            throw new RefusedException(ControlError.UNKNOWN_HANDLE, "the session or its link is closed");
        }
        GrantedSlot slot = slotsByLog.get(log.identity());
        if (slot != null && !slot.revoked && slot.feed.readable.leaderEpoch() != log.leaderEpoch()) {
            reads.directory.revoke(slot.feed, "a newer leader epoch");
        }
        if (slot != null && slot.revoked) {
            collect(slot, nowNs);
            slot = null;
        }
        if (slot == null) {
            table.reclaim(nowNs);
            int index = table.take();
            if (index < 0) {
                throw new RefusedException(
                        ControlError.LIMIT, "all " + table.slotCount() + " slots of the link are in use");
            }
            slot = new GrantedSlot(table, index);
            slot.feed = reads.directory.subscribe(log, slot);
            if (slot.feed == null) {
                table.putBack(index);
                throw new RefusedException(ControlError.NOT_READABLE, "the partition is no longer served here");
            }
            slotsByLog.put(log.identity(), slot);
            slotsByIndex.put(index, slot);
            account.granted(slot, log.topic());
        }
        slot.sessions.add(session.sessionId);
        return slot;
    }

    /** Returns a live export of that segment object that covers {@code [position, neededEndBytes)}, or null. */
    SegmentExport export(GrantedSlot slot, Object segment, long position, long neededEndBytes) {
        for (SegmentExport export : slot.exports) {
            if (export.segment.identity() == segment
                    && !export.isWithdrawn()
                    && export.covers(position, neededEndBytes)) {
                return export;
            }
        }
        return null;
    }

    /** Returns whether the link holds its largest number of segment regions. */
    boolean isFull() {
        return exportsByKey.size() >= MAX_REGIONS;
    }

    /**
     * Adds the export. Returns false if the link closed or the slot was revoked meanwhile; the caller then drops the
     * export.
     */
    boolean add(SegmentExport export) {
        if (closed.get() || export.slot.revoked) {
            return false;
        }
        export.slot.exports.add(export);
        exportsByKey.put(export.region.rkey(), export);
        return true;
    }

    /** No effect if the control thread has taken the export for its release. */
    private void release(SegmentExport export) {
        if (exportsByKey.remove(export.region.rkey(), export)) {
            deregister(export);
        }
    }

    private void deregister(SegmentExport export) {
        export.slot.exports.remove(export);
        reads.segments.remove(export);
    }

    private void revokeUnused() {
        for (GrantedSlot slot : slotsByLog.values()) {
            if (slot.sessions.isEmpty() && !slot.revoked) {
                reads.directory.revoke(slot);
            }
        }
        collectRevoked(System.nanoTime());
    }

    /** Forgets revoked slots, and releases exports that were withdrawn a lease ago. */
    void expire(long nowNs, long leaseNs) {
        collectRevoked(nowNs);
        table.reclaim(nowNs);
        for (SegmentExport export : exportsByKey.values()) {
            if (export.isDrained(nowNs, leaseNs)) {
                release(export);
            }
        }
    }

    private void collectRevoked(long nowNs) {
        for (GrantedSlot slot : List.copyOf(slotsByLog.values())) {
            if (slot.revoked) {
                collect(slot, nowNs);
            }
        }
    }

    private void collect(GrantedSlot slot, long nowNs) {
        slotsByLog.remove(slot.feed.readable.identity());
        slotsByIndex.remove(slot.index);
        slot.exports.forEach(export -> export.withdraw(nowNs));
        table.retire(slot.index, nowNs);
    }

    /** Releases everything. The link is already marked closed. */
    void free() {
        try {
            freeAll();
        } finally {
            freed.complete(null);
        }
    }

    private void freeAll() {
        for (GrantedSlot slot : slotsByLog.values()) {
            if (!slot.revoked) {
                reads.directory.revoke(slot);
            }
        }
        // No thread of the broker writes to the table from here on, and after this call the heartbeat does not either.
        table.close();
        exportsByKey.values().forEach(this::release);
        slotsByLog.clear();
        slotsByIndex.clear();
        sessions.clear();
        // Without waiting for the proxy: the domain's close does that.
        table.table.deregister(0);
        table.arms.deregister(0);
    }
}
