// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import static org.awaitility.Awaitility.await;

import io.slipstream.process.Patience;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;

/**
 * The records of one partition by their writers' acknowledgements, and the open transactions. Safe for concurrent use.
 */
final class WrittenLog {
    private final TopicPartition partition;
    private final int number;
    private final boolean compacted;
    private final LogBounds bounds;
    private final Findings findings;
    private final Map<Long, WrittenRecord> records = new ConcurrentHashMap<>();
    private final Map<Integer, ConcurrentSkipListMap<Long, WrittenRecord>> byKey = new ConcurrentHashMap<>();
    /** First offsets of transactions without a requested end, by writer. */
    private final Map<Integer, Long> open = new ConcurrentHashMap<>();

    private final AtomicLong end = new AtomicLong();
    private final AtomicLong start = new AtomicLong();
    private volatile long watermark = Long.MAX_VALUE;

    /**
     * @param number number of the partition in the run
     * @param compacted whether its topic is compacted
     */
    WrittenLog(TopicPartition partition, int number, boolean compacted, LogBounds bounds, Findings findings) {
        this.partition = partition;
        this.number = number;
        this.compacted = compacted;
        this.bounds = bounds;
        this.findings = findings;
    }

    TopicPartition partition() {
        return partition;
    }

    int number() {
        return number;
    }

    boolean isCompacted() {
        return compacted;
    }

    void acknowledged(long offset, WrittenRecord record) {
        WrittenRecord other = records.putIfAbsent(offset, record);
        if (other != null) {
            findings.add("%s offset %d was acknowledged for %s and for %s", partition, offset, other, record);
        }
        if (compacted) {
            byKey.computeIfAbsent(record.key(), unused -> new ConcurrentSkipListMap<>())
                    .put(offset, record);
        }
        if (record.value().fate() != WrittenValue.Fate.NO_TRANSACTION) {
            open.merge(record.value().writer(), offset, Math::min);
        }
        end.accumulateAndGet(offset + 1, Math::max);
    }

    /** Call before the end is requested, when the whole transaction is acknowledged. */
    void transactionEnds(int writer) {
        open.remove(writer);
    }

    /** Null without an acknowledged record: a marker, nothing, or a record with a pending acknowledgement. */
    WrittenRecord at(long offset) {
        return records.get(offset);
    }

    int count() {
        return records.size();
    }

    /** Offset after the last acknowledged record. */
    long end() {
        return end.get();
    }

    /** read_committed readers must not receive records from here on. */
    long lastStableOffset() {
        return open.values().stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE);
    }

    /** No reader may receive records from this offset on until the next call. */
    void holdWatermark(long offset) {
        watermark = offset;
    }

    long watermark() {
        return watermark;
    }

    /** The highest known log start. */
    long knownStart() {
        return start.get();
    }

    /** Queries the broker. */
    long askStart() {
        long now = bounds.start(partition);
        return start.accumulateAndGet(now, Math::max);
    }

    /**
     * Waits, because brokers name a leader before it accepts appends, and some writers do not retry; nor do offset
     * queries for a topic that brokers do not know.
     */
    void awaitLeader() {
        await().atMost(Patience.ofSeconds(30))
                .ignoreException(IllegalStateException.class)
                .until(() -> askEnd() >= 0);
    }

    /** Queries the broker's high watermark. */
    long askEnd() {
        return bounds.end(partition);
    }

    /**
     * Returns whether a cleaner may have removed a record by then: a later one with the same key, outside aborted
     * transactions, had been sent.
     */
    boolean isSuperseded(long offset, WrittenRecord record, long untilNs) {
        ConcurrentSkipListMap<Long, WrittenRecord> same = byKey.get(record.key());
        return compacted
                && same.tailMap(offset, false).values().stream()
                        .anyMatch(later -> !later.isAborted() && later.sentNs() - untilNs < 0);
    }
}
