// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.rdma.MemoryRegion;
import java.util.concurrent.CompletionStage;

/**
 * One segment file, or a window of it, as one link may read it. Each link has a region of its own. Once a link has
 * released or lost its region, it cannot reach the file, even if other links read it.
 *
 * <pre>
 * LIVE ──segment removed, slot revoked or last session gone──▶ WITHDRAWN ──a lease later──▶ deregistered
 *   └──released by the link───────────────────────────────────────────────────────────────▶ deregistered
 * </pre>
 */
final class SegmentExport {
    final GrantedSlot slot;
    final ReadableSegment segment;
    final MemoryRegion region;
    final Object chargedTo;
    final long chargedBytes;
    /** Completes when the peer can read. */
    final CompletionStage<Void> exported;

    private final long startBytes;
    private volatile boolean withdrawn;
    private volatile long withdrawnAtNs;

    /**
     * @param startBytes position in the segment of the region's first byte
     * @param chargedTo the proxy
     */
    SegmentExport(
            GrantedSlot slot,
            ReadableSegment segment,
            long startBytes,
            MemoryRegion region,
            Object chargedTo,
            long chargedBytes,
            CompletionStage<Void> exported) {
        this.slot = slot;
        this.segment = segment;
        this.startBytes = startBytes;
        this.region = region;
        this.chargedTo = chargedTo;
        this.chargedBytes = chargedBytes;
        this.exported = exported;
    }

    /** Returns whether the region covers bytes {@code [position, neededEndBytes)} of the segment. */
    boolean covers(long position, long neededEndBytes) {
        return startBytes <= position && startBytes + region.lengthBytes() >= neededEndBytes;
    }

    /**
     * Returns the region in segment positions. The address is that of position 0, and the length is the end position of
     * the window.
     */
    RemoteMemory remoteMemory() {
        return new RemoteMemory(region.address() - startBytes, startBytes + region.lengthBytes(), region.rkey());
    }

    /** Withdraws the export: it gets no new readers, and present readers have a lease to notice. */
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
