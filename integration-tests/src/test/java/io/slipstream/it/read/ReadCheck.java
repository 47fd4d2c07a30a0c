// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Checks the records of one partition at one consumer. Each record equals, byte for byte, the one written at its
 * offset. Offsets rise from the consumer's position, and only records are omitted that must or may be. Cases that a
 * pending acknowledgement could explain are judged at the end ({@link Unsettled}). Confined to its consumer's thread.
 */
final class ReadCheck {
    /** The consumer has no position, or only its broker knows it. */
    static final long UNKNOWN = -1;

    private final String consumer;
    private final boolean readCommitted;
    private final boolean resetsToEnd;
    private final WrittenLog log;
    private final Findings findings;
    private final Unsettled unsettled;
    private final ReadCounts counts;
    private long position = UNKNOWN;
    private long startAtSeek;

    /** @param resetsToEnd the consumer's reaction to a position out of range: {@code auto.offset.reset=latest} */
    ReadCheck(
            String consumer,
            boolean readCommitted,
            boolean resetsToEnd,
            WrittenLog log,
            Findings findings,
            Unsettled unsettled,
            ReadCounts counts) {
        this.consumer = consumer;
        this.readCommitted = readCommitted;
        this.resetsToEnd = resetsToEnd;
        this.log = log;
        this.findings = findings;
        this.unsettled = unsettled;
        this.counts = counts;
    }

    WrittenLog log() {
        return log;
    }

    long position() {
        return position;
    }

    /** @param offset the consumer's next offset; {@link #UNKNOWN} if it is deliberately out of range */
    void positioned(long offset) {
        // The client may still deliver records that it already holds.
        startAtSeek = offset == position ? 0 : log.knownStart();
        position = offset;
    }

    /**
     * @param next the consumer's position after the records, which may be empty
     * @param polledNs time of the delivery
     */
    void delivered(List<ConsumerRecord<byte[], byte[]>> records, long next, long polledNs) {
        Set<Long> offsets = new HashSet<>();
        long last = position - 1;
        for (ConsumerRecord<byte[], byte[]> record : records) {
            if (record.offset() <= last) {
                findings.add("%s: offset %d after %d", this, record.offset(), last);
            }
            last = record.offset();
            offsets.add(record.offset());
            compare(record);
        }
        if (last >= next) {
            findings.add("%s: position %d behind offset %d", this, next, last);
        }
        if (next > position) {
            limits(next);
        }
        long from = position != UNKNOWN
                ? position
                : records.isEmpty() ? next : records.get(0).offset();
        gaps(from, next, offsets, polledNs);
        position = next;
        counts.delivered(readCommitted, records.size());
    }

    private void compare(ConsumerRecord<byte[], byte[]> record) {
        WrittenValue value = WrittenValue.decode(record.value());
        if (value == null) {
            findings.add(
                    "%s: a broken value of %d bytes at offset %d", this, record.serializedValueSize(), record.offset());
            return;
        }
        if (readCommitted && value.fate() == WrittenValue.Fate.ABORTED) {
            findings.add("%s: %s of an aborted transaction at offset %d", this, value, record.offset());
        }
        if (record.offset() < startAtSeek) {
            findings.add("%s: offset %d, but the log began at %d before", this, record.offset(), startAtSeek);
        }
        long digest = WrittenValue.digest(record.key(), record.value(), record.timestamp());
        WrittenRecord written = log.at(record.offset());
        if (written == null) {
            unsettled.delivered(log, record.offset(), digest, toString());
        } else if (written.digest() != digest) {
            findings.add("%s: %s at offset %d, where %s was written", this, value, record.offset(), written);
        }
    }

    /** A transaction that is open now was open, or not started, when the records were delivered. */
    private void limits(long next) {
        if (next > log.watermark()) {
            findings.add("%s: position %d, but the high watermark is held at %d", this, next, log.watermark());
        }
        long stable = log.lastStableOffset();
        // Deletions may pass the start of an open transaction. A broker's last stable offset is not below its log
        // start.
        if (readCommitted && next > stable && next > log.askStart()) {
            findings.add("%s: position %d, but a transaction is open from %d on", this, next, stable);
        }
        if (counts.isTimeToAsk() && next > log.askEnd()) {
            findings.add("%s: position %d, above the high watermark", this, next);
        }
    }

    private void gaps(long from, long next, Set<Long> offsets, long polledNs) {
        long start = UNKNOWN;
        for (long offset = from; offset < next; offset++) {
            if (offsets.contains(offset)) {
                continue;
            }
            WrittenRecord written = log.at(offset);
            if (written == null) {
                unsettled.leftOut(log, offset, readCommitted, polledNs, toString());
                continue;
            }
            if (Unsettled.mayBeLeftOut(log, offset, written, readCommitted, polledNs)) {
                counts.leftOut(written.isAborted());
                continue;
            }
            if (start == UNKNOWN) {
                start = log.askStart();
            }
            boolean reset = resetsToEnd && from < start;
            if (offset >= start && !reset) {
                findings.add("%s: read from %d to %d without offset %d, %s", this, from, next, offset, written);
            } else {
                counts.deleted();
            }
        }
    }

    /** The consumer was told that its position is out of range. */
    void outOfRange(long offset, boolean onPurpose) {
        counts.outOfRange();
        if (!onPurpose && offset >= log.askStart()) {
            findings.add("%s: offset %d out of range, but the log begins at %d", this, offset, log.knownStart());
        }
    }

    @Override
    public String toString() {
        return consumer + (readCommitted ? " (read_committed) of " : " of ") + log.partition();
    }
}
