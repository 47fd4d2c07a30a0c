// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.it.read.WrittenValue.Fate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

/** Tests the check: no finding for a correct read, a finding for each wrong one. */
class ReadCheckTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final int NUMBER = 3;
    private static final int WRITER = 1;
    private static final long TIMESTAMP_MS = 1_000;
    private static final byte[] KEY = {0, 0, 0, 7};
    private static final byte[] FILLER = new byte[100];

    private final Bounds bounds = new Bounds();
    private final Findings findings = new Findings();
    private final Unsettled unsettled = new Unsettled(findings);
    private final ReadCounts counts = new ReadCounts();
    private WrittenLog log = new WrittenLog(PARTITION, NUMBER, false, bounds, findings);
    private ReadCheck check = check(false, false);

    private static final class Bounds implements LogBounds {
        private long start;
        private long end = 1_000;

        @Override
        public long start(TopicPartition partition) {
            return start;
        }

        @Override
        public long end(TopicPartition partition) {
            return end;
        }
    }

    private ReadCheck check(boolean readCommitted, boolean resetsToEnd) {
        return new ReadCheck("c", readCommitted, resetsToEnd, log, findings, unsettled, counts);
    }

    /** The record of that sequence is at each offset. */
    private void write(long from, long to, Fate fate) {
        for (long offset = from; offset < to; offset++) {
            byte[] value = value(offset, fate);
            long digest = WrittenValue.digest(KEY, value, TIMESTAMP_MS);
            log.acknowledged(offset, new WrittenRecord(WrittenValue.decode(value), digest, 7, 10 * offset));
        }
    }

    private static byte[] value(long sequence, Fate fate) {
        return new WrittenValue(NUMBER, WRITER, (int) sequence, fate).encode(FILLER, 5);
    }

    private static ConsumerRecord<byte[], byte[]> record(long offset, byte[] value, long timestampMs) {
        return new ConsumerRecord<>(
                PARTITION.topic(),
                0,
                offset,
                timestampMs,
                TimestampType.CREATE_TIME,
                KEY.length,
                value.length,
                KEY,
                value,
                new RecordHeaders(),
                Optional.empty());
    }

    private static List<ConsumerRecord<byte[], byte[]>> records(Fate fate, long... offsets) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (long offset : offsets) {
            records.add(record(offset, value(offset, fate), TIMESTAMP_MS));
        }
        return records;
    }

    private void deliver(long next, long... offsets) {
        check.delivered(records(Fate.NO_TRANSACTION, offsets), next, Long.MAX_VALUE / 2);
    }

    private void assertFound(String text) {
        assertThat(findings.first()).singleElement().asString().contains(text);
    }

    private void assertNothingFound() {
        unsettled.settle();
        assertThat(findings.first()).isEmpty();
    }

    @Test
    void shouldAcceptCorrectReadsMarkersAndLateAcknowledgements() {
        write(0, 5, Fate.NO_TRANSACTION);
        check.positioned(2);
        deliver(5, 2, 3, 4);
        deliver(7, 6); // 5 is a marker
        write(6, 7, Fate.NO_TRANSACTION);

        assertNothingFound();
    }

    @Test
    void shouldFindAChangedByte() {
        write(0, 2, Fate.NO_TRANSACTION);
        byte[] value = value(0, Fate.NO_TRANSACTION);
        value[value.length - 1] ^= 1;
        check.positioned(0);
        check.delivered(List.of(record(0, value, TIMESTAMP_MS)), 1, 0);

        assertFound("broken value");
    }

    @Test
    void shouldFindARecordWithTheWrongOffsetPartitionOrTimestamp() {
        write(0, 9, Fate.NO_TRANSACTION);
        byte[] elsewhere = new WrittenValue(NUMBER + 1, WRITER, 2, Fate.NO_TRANSACTION).encode(FILLER, 5);
        check.positioned(0);
        check.delivered(
                List.of(
                        record(0, value(1, Fate.NO_TRANSACTION), TIMESTAMP_MS),
                        record(1, value(1, Fate.NO_TRANSACTION), TIMESTAMP_MS + 1),
                        record(2, elsewhere, TIMESTAMP_MS)),
                3,
                0);

        assertThat(findings.count()).isEqualTo(3);
    }

    @Test
    void shouldFindARecordThatWasNeverWritten() {
        check.positioned(0);
        deliver(1, 0);
        assertThat(findings.count()).isZero();
        unsettled.settle();

        assertFound("no acknowledged record");
    }

    @Test
    void shouldFindOffsetsThatDoNotIncrease() {
        write(0, 9, Fate.NO_TRANSACTION);
        check.positioned(0);
        deliver(3, 0, 1, 2);
        deliver(4, 2, 3);

        assertFound("offset 2 after 2");
    }

    @Test
    void shouldFindOmittedRecordsAlsoAfterALateAcknowledgement() {
        write(0, 4, Fate.NO_TRANSACTION);
        check.positioned(0);
        deliver(4, 0, 1, 3);
        assertFound("without offset 2");
        deliver(6, 5);
        write(4, 6, Fate.NO_TRANSACTION);
        unsettled.settle();

        assertThat(findings.first()).hasSize(2).last().asString().contains("without offset 4");
    }

    @Test
    void shouldAllowOmittingDeletedRecords() {
        write(0, 9, Fate.NO_TRANSACTION);
        bounds.start = 4;
        check.positioned(1);
        deliver(6, 4, 5);
        assertNothingFound();

        check.positioned(1);
        deliver(6, 5);
        assertFound("without offset 4");
    }

    @Test
    void shouldAllowAJumpToTheEndOnlyByResetFromADeletedPosition() {
        write(0, 9, Fate.NO_TRANSACTION);
        check = check(false, true);
        bounds.start = 2;
        check.positioned(1);
        deliver(9, 8);
        assertNothingFound();

        check.positioned(2);
        deliver(9, 4, 5, 6, 7, 8);
        assertThat(findings.count()).isEqualTo(2);
    }

    @Test
    void shouldFindAbortedRecordsOnlyWithReadCommitted() {
        write(0, 3, Fate.ABORTED);
        log.transactionEnds(WRITER);
        check.positioned(0);
        check.delivered(records(Fate.ABORTED, 0, 1, 2), 3, 0);
        assertNothingFound();

        check = check(true, false);
        check.positioned(0);
        check.delivered(List.of(), 3, 0);
        assertNothingFound();
        check.positioned(1);
        check.delivered(records(Fate.ABORTED, 1), 2, 0);
        assertFound("aborted");
    }

    @Test
    void shouldFindRecordsAboveTheLastStableOffsetWithReadCommitted() {
        write(0, 2, Fate.NO_TRANSACTION);
        write(2, 4, Fate.COMMITTED);
        check = check(true, false);
        check.positioned(0);
        deliver(2, 0, 1);
        assertNothingFound();
        check.delivered(records(Fate.COMMITTED, 2), 3, 0);
        assertFound("open from 2");

        log.transactionEnds(WRITER);
        check.delivered(records(Fate.COMMITTED, 3), 4, 0);
        assertThat(findings.count()).isOne();
    }

    /** A consumer that is reset to the earliest offset stands there. */
    @Test
    void shouldAllowAPositionAtALogStartAboveAnOpenTransaction() {
        write(0, 4, Fate.COMMITTED);
        check = check(true, false);
        check.positioned(ReadCheck.UNKNOWN);
        bounds.start = 3;
        check.delivered(List.of(), 3, 0);
        assertNothingFound();

        check.delivered(records(Fate.COMMITTED, 3), 4, 0);
        assertFound("open from 0");
    }

    @Test
    void shouldFindRecordsAboveTheHighWatermark() {
        write(0, 9, Fate.NO_TRANSACTION);
        log.holdWatermark(3);
        check.positioned(0);
        deliver(3, 0, 1, 2);
        assertNothingFound();
        deliver(4, 3);
        assertFound("held at 3");
    }

    @Test
    void shouldQueryTheBrokersHighWatermark() {
        write(0, 2, Fate.NO_TRANSACTION);
        bounds.end = 1;
        check.positioned(0);
        deliver(2, 0, 1);

        assertFound("above the high watermark");
    }

    @Test
    void shouldFindRecordsThatWereDeletedBeforeTheRead() {
        write(0, 9, Fate.NO_TRANSACTION);
        bounds.start = 5;
        log.askStart();
        check.positioned(4);
        deliver(5, 4);

        assertFound("began at 5");
    }

    @Test
    void shouldAllowOmittingOnlySupersededRecordsOfCompactedLogs() {
        log = new WrittenLog(PARTITION, NUMBER, true, bounds, findings);
        check = check(false, false);
        write(0, 3, Fate.NO_TRANSACTION);
        check.positioned(0);
        check.delivered(records(Fate.NO_TRANSACTION, 2), 3, 1_000);
        assertNothingFound();

        check.positioned(1);
        check.delivered(records(Fate.NO_TRANSACTION, 2), 3, 20); // 2 was sent at 20
        assertFound("without offset 1");
    }

    @Test
    void shouldFindAWrongOffsetOutOfRange() {
        write(0, 9, Fate.NO_TRANSACTION);
        bounds.start = 4;
        check.outOfRange(3, false);
        check.outOfRange(1_000_000, true);
        assertNothingFound();
        check.outOfRange(4, false);

        assertFound("out of range");
    }
}
