// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All segments that links may read, by the broker's segment object, and the bytes charged for them
 * ({@link RegisteredBytes}). With verbs the charge is the pinned bytes of the file. With {@code shm} nothing is pinned,
 * and a region is charged with one page, which bounds the number of regions.
 *
 * <p>Kafka never waits for a deregistration. A region outlives the rename and the unlinking of its file. A truncation
 * revokes the slot before bytes change, and the reader checks the slot before it trusts the bytes. Only the release of
 * disk space is delayed, by a lease.
 */
final class SegmentExports {
    private static final Logger log = LoggerFactory.getLogger(SegmentExports.class);
    private static final long DEREGISTER_TIMEOUT_NS = 1_000_000_000L;

    private final SlotDirectory directory;
    private final ConcurrentMap<Object, List<SegmentExport>> bySegment = new ConcurrentHashMap<>();
    private final RegisteredBytes bytes;
    private final LongAdder quarantined = new LongAdder();

    SegmentExports(SlotDirectory directory, RegisteredBytes bytes) {
        this.directory = directory;
        this.bytes = bytes;
    }

    /** Returns the number of regions that a peer did not release in time. Their bytes stay charged. */
    long quarantined() {
        return quarantined.sum();
    }

    /** Registers the export under its segment. From now on the segment's removal withdraws it. */
    void add(SegmentExport export) {
        bySegment.compute(export.segment.identity(), (segment, exports) -> {
            List<SegmentExport> all = exports == null ? new CopyOnWriteArrayList<>() : exports;
            all.add(export);
            return all;
        });
    }

    /** Removes and deregisters the export. Blocks up to a bound, so only the worker thread may call it. */
    void remove(SegmentExport export) {
        bySegment.computeIfPresent(export.segment.identity(), (segment, exports) -> {
            exports.remove(export);
            return exports.isEmpty() ? null : exports;
        });
        deregister(export);
    }

    private void deregister(SegmentExport export) {
        if (export.region.deregister(DEREGISTER_TIMEOUT_NS)) {
            bytes.discharge(export.chargedTo, export.chargedBytes);
        } else {
            quarantined.increment();
            log.warn(
                    "A reader did not release a segment's region of {} bytes in time; it stays quarantined",
                    export.chargedBytes);
        }
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
