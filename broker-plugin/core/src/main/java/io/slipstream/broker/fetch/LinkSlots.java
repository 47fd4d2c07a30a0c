package io.slipstream.broker.fetch;

import io.slipstream.broker.session.BoundSession;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * The grants of one link. Bookkeeping under this object's lock, which the broker's threads never take; the order of locks is link,
 * then log. Locating and deregistering run on the worker thread of {@link SlotReads}, everything else on the control thread.
 */
final class LinkSlots implements LinkReads {
    private final SlotReads reads;
    private final ProtectionDomain domain;
    private final QueuePair queuePair;
    private final SlotTable table;
    private final SlotDirectory directory;
    private final SegmentExports segments;

    /** Sessions that located something and are not closed. */
    private final Map<Integer, BoundSession> sessions = new HashMap<>();

    private final Map<Object, GrantedSlot> slotsByLog = new IdentityHashMap<>();
    private final Map<Integer, SegmentExport> exportsByKey = new HashMap<>();
    private boolean closed;

    LinkSlots(
            SlotReads reads,
            ProtectionDomain domain,
            QueuePair queuePair,
            SlotTable table,
            SlotDirectory directory,
            SegmentExports segments) {
        this.reads = reads;
        this.domain = domain;
        this.queuePair = queuePair;
        this.table = table;
        this.directory = directory;
        this.segments = segments;
    }

    @Override
    public RemoteMemory slotTable() {
        return remoteMemory(table.table());
    }

    @Override
    public RemoteMemory armTable() {
        return remoteMemory(table.arms());
    }

    private static RemoteMemory remoteMemory(MemoryRegion region) {
        return new RemoteMemory(region.address(), region.lengthBytes(), region.rkey());
    }

    @Override
    public int slotCount() {
        return table.slotCount();
    }

    ProtectionDomain domain() {
        return domain;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    SlotTable table() {
        return table;
    }

    @Override
    public CompletionStage<ControlResponse.Locate> locate(BoundSession session, ControlRequest.Locate request) {
        synchronized (this) {
            if (!closed) {
                sessions.putIfAbsent(session.sessionId(), session);
            }
        }
        return reads.locate(this, session, request);
    }

    /** The slot that serves the log to this link, made if there is none, or why it cannot be. */
    synchronized SlotGrant grant(BoundSession session, ReadableLog log, long nowNs) {
        if (closed || !sessions.containsKey(session.sessionId())) {
            return SlotGrant.refused(ControlError.UNKNOWN_HANDLE, "the session or its link is closed");
        }
        GrantedSlot slot = slotsByLog.get(log.identity());
        if (slot != null && !slot.isRevoked() && slot.feed.readable().leaderEpoch() != log.leaderEpoch()) {
            directory.revoke(slot.feed, "a newer leader epoch");
        }
        if (slot != null && slot.isRevoked()) {
            collect(log.identity(), slot, nowNs);
            slot = null;
        }
        if (slot == null) {
            table.reclaim(nowNs);
            int index = table.take();
            if (index < 0) {
                return SlotGrant.refused(
                        ControlError.LIMIT, "all " + table.slotCount() + " slots of the link are in use");
            }
            slot = new GrantedSlot(table, index);
            slot.feed = directory.subscribe(log, slot);
            if (slot.feed == null) {
                table.putBack(index);
                return SlotGrant.refused(ControlError.NOT_READABLE, "the partition is no longer served here");
            }
            slotsByLog.put(log.identity(), slot);
        }
        slot.sessions.add(session.sessionId());
        slot.lastLocatedNs = nowNs;
        return SlotGrant.granted(slot);
    }

    /** The live export of that segment object that covers {@code neededBytes}, or null. */
    synchronized SegmentExport export(GrantedSlot slot, Object segment, long neededBytes) {
        for (SegmentExport export : slot.exports) {
            if (export.segment().identity() == segment
                    && !export.isWithdrawn()
                    && export.region().lengthBytes() >= neededBytes) {
                return export;
            }
        }
        return null;
    }

    /** False if the link closed or the slot was revoked meanwhile: the caller then drops the export. */
    synchronized boolean add(SegmentExport export) {
        if (closed || export.slot().isRevoked()) {
            return false;
        }
        export.slot().exports.add(export);
        exportsByKey.put(export.region().rkey(), export);
        return true;
    }

    @Override
    public synchronized ControlResponse.ReleaseSegment releaseSegment(ControlRequest.ReleaseSegment request) {
        SegmentExport export = exportsByKey.remove(request.rkey());
        if (export == null) {
            return new ControlResponse.ReleaseSegment(
                    ControlError.UNKNOWN_HANDLE, "no segment of this link has that key");
        }
        export.slot().exports.remove(export);
        reads.deregister(export);
        return new ControlResponse.ReleaseSegment(ControlError.NONE, null);
    }

    @Override
    public synchronized ControlResponse.ReleaseSlot releaseSlot(ControlRequest.ReleaseSlot request) {
        for (GrantedSlot slot : slotsByLog.values()) {
            if (slot.index() == request.slot()
                    && slot.generation() == request.generation()
                    && slot.sessions.remove(request.sessionId())) {
                revokeUnused();
                return new ControlResponse.ReleaseSlot(ControlError.NONE, null);
            }
        }
        return new ControlResponse.ReleaseSlot(
                ControlError.UNKNOWN_HANDLE, "the session holds no slot of that index and generation");
    }

    @Override
    public synchronized void sessionClosed(int sessionId) {
        sessions.remove(sessionId);
        for (GrantedSlot slot : slotsByLog.values()) {
            slot.sessions.remove(sessionId);
        }
        revokeUnused();
    }

    private void revokeUnused() {
        for (GrantedSlot slot : slotsByLog.values()) {
            if (slot.sessions.isEmpty() && !slot.isRevoked()) {
                directory.revoke(slot.feed, slot);
            }
        }
        collectRevoked(System.nanoTime());
    }

    /** Forgets revoked slots, and gives back what has been withdrawn for a lease. Worker thread. */
    void expire(long nowNs, long leaseNs) {
        List<SegmentExport> drained = new ArrayList<>();
        synchronized (this) {
            if (closed) {
                return;
            }
            collectRevoked(nowNs);
            table.reclaim(nowNs);
            exportsByKey.values().removeIf(export -> export.isDrained(nowNs, leaseNs) && drained.add(export));
            for (SegmentExport export : drained) {
                export.slot().exports.remove(export);
            }
        }
        drained.forEach(segments::remove);
    }

    private void collectRevoked(long nowNs) {
        for (Map.Entry<Object, GrantedSlot> entry : List.copyOf(slotsByLog.entrySet())) {
            if (entry.getValue().isRevoked()) {
                collect(entry.getKey(), entry.getValue(), nowNs);
            }
        }
    }

    private void collect(Object logIdentity, GrantedSlot slot, long nowNs) {
        slotsByLog.remove(logIdentity);
        slot.exports.forEach(export -> export.withdraw(nowNs));
        table.retire(slot.index(), nowNs);
    }

    /** Revokes what sessions of this link may no longer read. Worker thread. */
    void reauthorize(PartitionLogs logs) {
        record Grant(GrantedSlot slot, BoundSession session) {}
        List<Grant> grants = new ArrayList<>();
        synchronized (this) {
            for (GrantedSlot slot : slotsByLog.values()) {
                for (Integer sessionId : slot.sessions) {
                    grants.add(new Grant(slot, sessions.get(sessionId)));
                }
            }
        }
        Map<List<Object>, Boolean> answers = new HashMap<>();
        for (Grant grant : grants) {
            String topic = grant.slot.feed.readable().topic();
            boolean allowed = answers.computeIfAbsent(
                    List.of(grant.session.sessionId(), topic),
                    key -> logs.mayStillRead(grant.session.requestContext(), topic));
            if (!allowed && !grant.slot.isRevoked()) {
                // The slot is the link's: its other sessions locate anew, this one is refused then.
                directory.revoke(grant.slot.feed, grant.slot);
            }
        }
    }

    /** The slot that holds segments and was located longest ago, if before {@code beforeNs}; else null. */
    synchronized GrantedSlot leastRecentlyLocated(long beforeNs) {
        GrantedSlot oldest = null;
        for (GrantedSlot slot : slotsByLog.values()) {
            if (!slot.isRevoked()
                    && !slot.exports.isEmpty()
                    && slot.lastLocatedNs - beforeNs < 0
                    && (oldest == null || slot.lastLocatedNs - oldest.lastLocatedNs < 0)) {
                oldest = slot;
            }
        }
        return oldest;
    }

    @Override
    public void close() {
        List<SegmentExport> exports;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            for (GrantedSlot slot : slotsByLog.values()) {
                if (!slot.isRevoked()) {
                    directory.revoke(slot.feed, slot);
                }
            }
            // From here on no thread of the broker writes to the table, and after this the heartbeat does not either.
            table.close();
            exports = new ArrayList<>(exportsByKey.values());
            slotsByLog.clear();
            exportsByKey.clear();
            sessions.clear();
        }
        reads.closed(this, exports);
    }
}
