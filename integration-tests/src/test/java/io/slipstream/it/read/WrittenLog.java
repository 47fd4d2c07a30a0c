// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import static org.awaitility.Awaitility.await;

import io.slipstream.process.Patience;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;

/** What was written to one partition, as its writers' acknowledgements tell, and which of their transactions are open. Safe from any thread. */
final class WrittenLog {
    private final TopicPartition partition;
    private final int number;
    private final boolean compacted;
    private final LogBounds bounds;
    private final Findings findings;
    private final Map<Long, WrittenRecord> records = new ConcurrentHashMap<>();
    private final Map<Integer, ConcurrentSkipListMap<Long, WrittenRecord>> byKey = new ConcurrentHashMap<>();
    /** First offsets of transactions whose end has not been asked for, by writer. */
    private final Map<Integer, Long> open = new ConcurrentHashMap<>();

    private final AtomicLong end = new AtomicLong();
    private final AtomicLong start = new AtomicLong();
    private volatile long watermark = Long.MAX_VALUE;

    /**
     * @param number of the partition in the run
     * @param compacted whether its topic is
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

    /** Called before the end is asked for, when all of the transaction is acknowledged. */
    void transactionEnds(int writer) {
        open.remove(writer);
    }

    /** Null if nothing there was acknowledged until now: a marker, nothing, or a record whose acknowledgement is on its way. */
    WrittenRecord at(long offset) {
        return records.get(offset);
    }

    int count() {
        return records.size();
    }

    /** Behind the last acknowledged record. */
    long end() {
        return end.get();
    }

    /** No record from here on may reach who reads committed ones only. */
    long lastStableOffset() {
        return open.values().stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE);
    }

    /** Nothing from there on may reach anybody until this is called with another offset. */
    void holdWatermark(long offset) {
        watermark = offset;
    }

    long watermark() {
        return watermark;
    }

    /** The greatest log start that was heard of. */
    long knownStart() {
        return start.get();
    }

    /** Asks the broker. */
    long askStart() {
        long now = bounds.start(partition);
        return start.accumulateAndGet(now, Math::max);
    }

    /** Brokers name a leader to clients before it takes appends, and some writers do not try again; nor does who asks for offsets of a topic that brokers have not heard of. */
    void awaitLeader() {
        await().atMost(Patience.ofSeconds(30))
                .ignoreException(IllegalStateException.class)
                .until(() -> askEnd() >= 0);
    }

    /** The broker's high watermark. */
    long askEnd() {
        return bounds.end(partition);
    }

    /** Whether a cleaner may have removed a record by then: a later one of the same key, of no aborted transaction, had been sent. */
    boolean isSuperseded(long offset, WrittenRecord record, long untilNs) {
        ConcurrentSkipListMap<Long, WrittenRecord> same = byKey.get(record.key());
        return compacted
                && same.tailMap(offset, false).values().stream()
                        .anyMatch(later -> !later.isAborted() && later.sentNs() - untilNs < 0);
    }
}
