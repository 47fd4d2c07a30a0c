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
 * All segments that links may read, found by the broker's segment object, and what is charged for them ({@link
 * RegisteredBytes}): the bytes that were in the file when it was registered, at least a page. That is what verbs pins;
 * on {@code shm} nothing is pinned, and the charge bounds how much file the peers may keep mapped.
 *
 * <p>Kafka never waits for a deregistration. It need not: a region outlives the rename and the unlinking of its file,
 * and where bytes change under a reader (truncation) the slot was revoked first, which the reader sees before it trusts
 * what it read. What is left is disk space, which comes back a lease later.
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

    /** Regions that a peer did not let go in time; they stay charged. */
    long quarantined() {
        return quarantined.sum();
    }

    /** From now on the removal of the segment is noticed. */
    void add(SegmentExport export) {
        bySegment.compute(export.segment.identity(), (segment, exports) -> {
            List<SegmentExport> all = exports == null ? new CopyOnWriteArrayList<>() : exports;
            all.add(export);
            return all;
        });
    }

    /** Forgets and deregisters; blocks up to a bound, so on the worker thread only. */
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
                    "A reader did not let go of a segment's region of {} bytes in time; it stays quarantined",
                    export.chargedBytes);
        }
    }

    /**
     * The broker is about to rename or delete the segment's files. Readers of its older offsets learn from the log
     * start that they are gone; if the high watermark lies in it, the segment may be about to be recreated under the
     * same base offset, and only a new grant tells a reader which file is meant.
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
