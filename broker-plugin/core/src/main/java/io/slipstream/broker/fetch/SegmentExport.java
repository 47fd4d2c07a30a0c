// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.rdma.MemoryRegion;
import java.util.concurrent.CompletionStage;

/**
 * One segment file, or a window of it, as one link may read it. A region of its own for each link, so that what a link
 * gives back or loses is out of its reach, whoever else reads the same file.
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
    final String chargedTo;
    final long chargedBytes;
    /** Completes when the peer can read. */
    final CompletionStage<Void> exported;

    private final long startBytes;
    private volatile boolean withdrawn;
    private volatile long withdrawnAtNs;

    /**
     * @param startBytes position in the segment that the region's address names
     * @param chargedTo principal of the session for which it was made
     */
    SegmentExport(
            GrantedSlot slot,
            ReadableSegment segment,
            long startBytes,
            MemoryRegion region,
            String chargedTo,
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

    /** Whether bytes {@code [position, neededEndBytes)} of the segment can be read. */
    boolean covers(long position, long neededEndBytes) {
        return startBytes <= position && startBytes + region.lengthBytes() >= neededEndBytes;
    }

    /**
     * By positions in the segment: the address is where position 0 would be, the length the position at which the
     * window ends.
     */
    RemoteMemory remoteMemory() {
        return new RemoteMemory(region.address() - startBytes, startBytes + region.lengthBytes(), region.rkey());
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
