// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

/** One region granted on one queue pair. Created by {@link ExportTable}, which guards its fields. */
final class RegionExport {
    private final QueuePairControl control;
    private final int slot;
    /** The peer has dropped its mapping, or has gone. */
    private volatile boolean over;

    private ShmMemoryRegion region;
    private long operationsAtRevocation;

    RegionExport(QueuePairControl control, int slot) {
        this.control = control;
        this.slot = slot;
    }

    int slot() {
        return slot;
    }

    void region(ShmMemoryRegion exported) {
        region = exported;
    }

    ShmMemoryRegion region() {
        return region;
    }

    /** Any thread: from now on no new operation of the peer passes. */
    void revoke(int rkey) {
        operationsAtRevocation = control.exports().revoke(slot);
        control.withdraw(this, rkey);
    }

    /** Any thread: whether no operation that began before the revocation can still be under way. */
    boolean isQuiet() {
        return over || control.exports().hasPeerMovedOn(operationsAtRevocation);
    }

    boolean isOver() {
        return over;
    }

    /** Connection thread: the peer said so after its owner thread had left the region, or its end proves it. */
    void over() {
        over = true;
        if (region != null) {
            region.exportIsOver(this);
        }
    }
}
