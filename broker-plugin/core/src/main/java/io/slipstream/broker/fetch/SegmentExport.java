package io.slipstream.broker.fetch;

import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.rdma.MemoryRegion;
import java.util.concurrent.CompletionStage;

/**
 * One segment file as one link may read it. A region of its own for each link, so that what a link gives back or loses is out of its
 * reach, whoever else reads the same file.
 *
 * <pre>
 * LIVE ──segment removed, slot revoked or last session gone──▶ WITHDRAWN ──a lease later──▶ deregistered
 *   └──released by the link───────────────────────────────────────────────────────────────▶ deregistered
 * </pre>
 */
final class SegmentExport {
    private final GrantedSlot slot;
    private final ReadableSegment segment;
    private final MemoryRegion region;
    private final long chargedBytes;
    private final CompletionStage<Void> exported;
    private volatile boolean withdrawn;
    private volatile long withdrawnAtNs;

    SegmentExport(
            GrantedSlot slot,
            ReadableSegment segment,
            MemoryRegion region,
            long chargedBytes,
            CompletionStage<Void> exported) {
        this.slot = slot;
        this.segment = segment;
        this.region = region;
        this.chargedBytes = chargedBytes;
        this.exported = exported;
    }

    GrantedSlot slot() {
        return slot;
    }

    ReadableSegment segment() {
        return segment;
    }

    MemoryRegion region() {
        return region;
    }

    long chargedBytes() {
        return chargedBytes;
    }

    /** Completes when the peer can read. */
    CompletionStage<Void> exported() {
        return exported;
    }

    RemoteMemory remoteMemory() {
        return new RemoteMemory(region.address(), region.lengthBytes(), region.rkey());
    }

    /** No new reader is sent here; those there have a lease to see why. */
    void withdraw(long nowNs) {
        if (!withdrawn) {
            withdrawnAtNs = nowNs;
            withdrawn = true;
        }
    }

    boolean isWithdrawn() {
        return withdrawn;
    }

    boolean isDrained(long nowNs, long leaseNs) {
        return withdrawn && nowNs - withdrawnAtNs >= leaseNs;
    }
}
