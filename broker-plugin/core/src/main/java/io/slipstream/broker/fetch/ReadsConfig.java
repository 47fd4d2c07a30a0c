// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.broker.config.TopicSet;

/**
 * Bounds of the read side.
 *
 * @param bootId random for each start of the broker; in the header of each slot table
 * @param slotCount slots of each link's table
 * @param leaseMs how long a reader trusts a slot table after its last heartbeat. Revoked slots are not reused, and
 *     withdrawn regions not deregistered, before this time has passed.
 * @param registeredBytes largest number of registered bytes of segment files, see {@link RegisteredBytes}
 * @param mostRegions largest number of regions of segment files
 * @param windowBytes bytes of a segment that are registered at once where registering pins memory, see
 *     {@link SegmentWindow}
 * @param directories the log directories that the device can read
 * @param excluded topics that no client reads one-sided
 */
public record ReadsConfig(
        long bootId,
        int slotCount,
        int leaseMs,
        long registeredBytes,
        int mostRegions,
        int windowBytes,
        LogDirectories directories,
        TopicSet excluded) {
    long leaseNs() {
        return leaseMs * 1_000_000L;
    }
}
