// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.broker.config.TopicSet;

/**
 * Bounds of the read side.
 *
 * @param bootId random for each start of the broker; stands in each slot table's header
 * @param slotCount slots of each link's table
 * @param leaseMs how long a reader trusts a slot table after its heartbeat last moved, and so how long revoked slots
 *     and withdrawn regions are left alone before they are reused or deregistered
 * @param registeredBytes most bytes of segment files registered at a time, see {@link SegmentExports}
 * @param registeredBytesPerPrincipal most of them that sessions of one principal have registered; 0: as many as there
 *     are, see {@link RegisteredBytes}
 * @param windowBytes how much of a segment is registered at once where that pins it, see {@link SegmentWindow}
 * @param directories where the device can read files
 * @param excluded topics that nobody reads one-sided
 */
public record ReadsConfig(
        long bootId,
        int slotCount,
        int leaseMs,
        long registeredBytes,
        long registeredBytesPerPrincipal,
        int windowBytes,
        LogDirectories directories,
        TopicSet excluded) {
    public ReadsConfig {
        if (slotCount < 1 || leaseMs < 4 || registeredBytes < 0 || windowBytes < 1) {
            throw new IllegalArgumentException(
                    "slot count " + slotCount + ", lease " + leaseMs + " ms, registered bytes " + registeredBytes
                            + " and window bytes " + windowBytes + " must not be negative or too small");
        }
    }

    long leaseNs() {
        return leaseMs * 1_000_000L;
    }
}
