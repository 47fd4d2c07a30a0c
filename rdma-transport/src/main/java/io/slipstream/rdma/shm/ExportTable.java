// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The export slots of one queue pair, in the inbox that its peer maps. Thread-safe: the inbox is only accessed under
 * the monitor.
 */
final class ExportTable {
    private final OwnInbox inbox;
    private final List<RegionExport> bySlot = new ArrayList<>();
    private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();
    private boolean inboxGone;
    private boolean peerGone;

    ExportTable(OwnInbox inbox) {
        this.inbox = inbox;
    }

    synchronized RegionExport open(QueuePairControl control) throws IOException {
        if (inboxGone || peerGone) {
            throw new IOException("queue pair is closed");
        }
        Integer freed = freeSlots.poll();
        int slot = freed != null ? freed : bySlot.size();
        if (slot == InboxLayout.MAX_EXPORTS) {
            throw new IOException("a queue pair can be granted at most " + InboxLayout.MAX_EXPORTS + " regions");
        }
        RegionExport export = new RegionExport(control, slot);
        if (freed != null) {
            bySlot.set(slot, export);
        } else {
            bySlot.add(export);
        }
        inbox.setRevoked(slot, false);
        return export;
    }

    /** Frees the slot of an export that was never announced to the peer. */
    synchronized void release(int slot) {
        bySlot.set(slot, null);
        freeSlots.add(slot);
    }

    /**
     * Frees the slot of a revoked region that the peer has dropped. Throws an IOException if the region is not revoked,
     * because peers may send anything.
     */
    void withdrawn(int slot) throws IOException {
        RegionExport export;
        synchronized (this) {
            export = slot < bySlot.size() ? bySlot.get(slot) : null;
            if (export == null || export.region == null || export.region.isRegistered()) {
                throw new IOException("the peer dropped a region that was not withdrawn");
            }
            release(slot);
        }
        export.over();
    }

    /** Returns the peer's operation count right after the flag was set; without an inbox, a count that never passes. */
    synchronized long revoke(int slot) {
        if (inboxGone) {
            return 1;
        }
        inbox.setRevoked(slot, true);
        return inbox.peerOperations();
    }

    synchronized boolean hasPeerMovedOn(long operationsBefore) {
        if ((operationsBefore & 1) == 0) {
            return true;
        }
        // Without the inbox, only the peer's end proves that it has left the region.
        return !inboxGone && inbox.peerOperations() != operationsBefore;
    }

    synchronized void inboxGone() {
        inboxGone = true;
    }

    void peerGone() {
        List<RegionExport> present;
        synchronized (this) {
            peerGone = true;
            present = bySlot.stream().filter(Objects::nonNull).toList();
        }
        present.forEach(RegionExport::over);
    }
}
