// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

/** One region exported on one queue pair. Created by {@link ExportTable}, which guards its fields. */
final class RegionExport {
    private final QueuePairControl control;
    final int slot;
    /** The peer has dropped its mapping or is gone. */
    private volatile boolean over;

    ShmMemoryRegion region;
    private long operationsAtRevocation;

    RegionExport(QueuePairControl control, int slot) {
        this.control = control;
        this.slot = slot;
    }

    /** Any thread: from now on no new operation of the peer is permitted. */
    void revoke(int rkey) {
        operationsAtRevocation = control.exports.revoke(slot);
        control.withdraw(this, rkey);
    }

    /** Any thread: whether every operation that began before the revocation has ended. */
    boolean isQuiet() {
        return over || control.exports.hasPeerMovedOn(operationsAtRevocation);
    }

    /** Connection thread: the peer confirmed that its owner thread has left the region, or is gone. */
    void over() {
        over = true;
        if (region != null) {
            region.exportIsOver(this);
        }
    }
}
