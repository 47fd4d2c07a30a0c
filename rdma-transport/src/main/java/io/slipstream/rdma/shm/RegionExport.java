package io.slipstream.rdma.shm;

/** One region granted on one queue pair. Created by {@link ExportTable}, which guards its fields. */
final class RegionExport {
    private final QueuePairControl control;
    private final int slot;
    private volatile boolean peerGone;
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
        return peerGone || control.exports().hasPeerMovedOn(operationsAtRevocation);
    }

    boolean isPeerGone() {
        return peerGone;
    }

    void peerGone() {
        peerGone = true;
        if (region != null) {
            region.peerGone(this);
        }
    }
}
