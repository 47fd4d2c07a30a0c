// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * All segments that links may read, by the broker's segment object, and the bytes charged for them
 * ({@link RegisteredBytes}). With verbs the charge is the pinned bytes of the file. With {@code shm} nothing is pinned,
 * and a region is charged with one page, which bounds the number of regions.
 *
 * <p>Kafka never waits for a deregistration. A region outlives the rename and the unlinking of its file. A truncation
 * revokes the slot before bytes change, and the reader checks the slot before it trusts the bytes. Only the release of
 * disk space is delayed, by a lease. The plugin does not wait either: a reader that is stopped in the middle of a READ
 * keeps its region, and its charge, until it continues or ends.
 */
final class SegmentExports {
    private final SlotDirectory directory;
    private final ConcurrentMap<Object, List<SegmentExport>> bySegment = new ConcurrentHashMap<>();
    private final RegisteredBytes bytes;
    /** Exports that are revoked, but perhaps in use by a READ. Their charges bound them. */
    private final Queue<SegmentExport> unsettled = new ConcurrentLinkedQueue<>();

    SegmentExports(SlotDirectory directory, RegisteredBytes bytes) {
        this.directory = directory;
        this.bytes = bytes;
    }

    /** Registers the export under its segment. From now on the segment's removal withdraws it. */
    void add(SegmentExport export) {
        bySegment.compute(export.segment.identity(), (segment, exports) -> {
            List<SegmentExport> all = exports == null ? new CopyOnWriteArrayList<>() : exports;
            all.add(export);
            return all;
        });
    }

    /** Removes and revokes the export, and deregisters it now or in {@link #settle}. Never waits for the peer. */
    void remove(SegmentExport export) {
        bySegment.computeIfPresent(export.segment.identity(), (segment, exports) -> {
            exports.remove(export);
            return exports.isEmpty() ? null : exports;
        });
        if (!isDeregistered(export)) {
            unsettled.add(export);
        }
    }

    private boolean isDeregistered(SegmentExport export) {
        if (!export.region.deregister(0)) {
            return false;
        }
        bytes.discharge(export.chargedTo, export.chargedBytes);
        return true;
    }

    /** Looks again at exports whose readers were in a READ. */
    void settle() {
        unsettled.removeIf(this::isDeregistered);
    }

    /**
     * The broker is about to rename or delete the segment's files. Readers of older offsets learn it from the log start
     * offset. If the high watermark is in the segment, the broker may recreate the segment with the same base offset.
     * Only a new grant tells readers about the new file, so the log is revoked.
     */
    void removed(Object segment) {
        List<SegmentExport> exports = bySegment.get(segment);
        if (exports == null) {
            return;
        }
        long now = System.nanoTime();
        for (SegmentExport export : exports) {
            export.withdraw(now);
            LogFeed feed = export.slot.feed;
            synchronized (feed.readable.monitor()) {
                if (export.segment.baseOffset() >= feed.publishedSegmentBaseOffset()) {
                    directory.revoke(feed, "its segment was removed");
                }
            }
        }
    }
}
