// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import io.slipstream.history.ClientEvent.WatermarksObserved;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** From which time on an offset was known to be readable, as observers saw the watermarks. */
final class ReadableMarks {
    static final long NEVER = Long.MAX_VALUE;

    /** By partition: the time of the first observation of each higher mark. */
    private final Map<Integer, NavigableMap<Long, Long>> high = new HashMap<>();

    private final Map<Integer, NavigableMap<Long, Long>> stable = new HashMap<>();

    void observe(WatermarksObserved seen) {
        add(high, seen.partition(), seen.highWatermark(), seen.atNs());
        add(stable, seen.partition(), seen.lastStableOffset(), seen.atNs());
    }

    /** With acks=all, the high watermark is above an acknowledged record. */
    void acknowledge(int partition, long offset, long atNs) {
        add(high, partition, offset + 1, atNs);
    }

    private static void add(Map<Integer, NavigableMap<Long, Long>> marks, int partition, long mark, long atNs) {
        NavigableMap<Long, Long> known = marks.computeIfAbsent(partition, any -> new TreeMap<>());
        if (known.isEmpty() || known.lastKey() < mark) {
            known.put(mark, atNs);
        }
    }

    /** Returns {@link #NEVER} if no mark above the offset was observed yet. */
    long sinceNs(int partition, boolean readCommitted, long offset) {
        NavigableMap<Long, Long> known = (readCommitted ? stable : high).get(partition);
        Map.Entry<Long, Long> above = known == null ? null : known.higherEntry(offset);
        return above == null ? NEVER : above.getValue();
    }
}
