// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import static io.slipstream.checker.Scenario.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.history.BatchType;
import io.slipstream.history.ClientEvent.Positioned;
import io.slipstream.history.DumpKind;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.RecordRun;
import io.slipstream.history.RunEvent.FaultsStopped;
import org.junit.jupiter.api.Test;

/** Hand-written histories of reads and watermarks that violate I8 or I24, with the exact findings expected. */
class RedWatermarkHistoryTest {
    private final Scenario history = new Scenario();
    private final int partition = history.partition();
    private final int producer = history.producer(ProducerKind.IDEMPOTENT);

    @Test
    void shouldFindACommittedReadAboveALastStableOffsetThatWasToldLater() {
        long a = history.sent(producer, partition, 0);
        history.poll(history.reader(partition), partition, at(0, a));
        history.observe(partition, 0, 1, 0);
        assertThat(history.kinds()).isEmpty();

        history.poll(history.committedReader(partition), partition, at(0, a));
        history.observe(partition, 0, 1, 0);
        assertThat(history.kinds()).containsExactly("I8 read-above-last-stable-offset");
    }

    @Test
    void shouldFindAReadAboveAWatermarkThatWasToldLater() {
        long a = history.sent(producer, partition, 0);
        history.poll(history.reader(partition), partition, at(0, a));
        history.observe(partition, 0, 0, -1);

        assertThat(history.kinds()).containsExactly("I8 read-above-high-watermark");
    }

    @Test
    void shouldAllowALowWatermarkToAFormerLeaderThatDoesNotKnowItsSuccessor() {
        long a = history.sent(producer, partition, 0);
        long b = history.sent(producer, partition, 1);
        history.poll(history.reader(partition), partition, at(0, a), at(1, b));
        history.dump(1, partition, at(0, a), at(1, b)).dump(2, partition, at(0, a), at(1, b));
        history.observe(partition, 0, 1, 1);
        assertThat(history.kinds()).as("no successor").containsExactly("I8 read-above-high-watermark");

        history.observe(partition, 1, 2, 2);
        assertThat(history.kinds()).isEmpty();
        assertThat(history.report().tolerated()).containsEntry("I8 watermark-of-a-former-leader", 1L);
    }

    @Test
    void shouldFindALowWatermarkOfALeaderThatWasReplacedOnlyLater() {
        int reader = history.reader(partition);
        long a = history.sent(producer, partition, 0);
        long b = history.sent(producer, partition, 1);
        history.poll(reader, partition, at(0, a), at(1, b)).observe(partition, 0, 1, 1);
        long c = history.sent(producer, partition, 2);
        history.poll(reader, partition, at(2, c)).observe(partition, 1, 3, 3);
        history.dump(1, partition, at(0, a), at(1, b), at(2, c));
        history.dump(2, partition, at(0, a), at(1, b), at(2, c));

        assertThat(history.kinds()).containsExactly("I8 read-above-high-watermark");
        assertThat(history.report().tolerated()).doesNotContainKey("I8 watermark-of-a-former-leader");
    }

    @Test
    void shouldCountOnlyReadsOfTheEpochThatAnswers() {
        int reader = history.reader(partition);
        long a = history.sent(producer, partition, 0);
        long b = history.sent(producer, partition, 1);
        history.poll(reader, partition, at(0, a), at(1, b));
        long c = history.sent(producer, partition, 2);
        RecordRun underNextEpoch = new RecordRun.Builder(1)
                .add(2, c, partition, Scenario.digest(c), 1)
                .build();
        history.poll(reader, partition, underNextEpoch).observe(partition, 1, 1, 1);
        history.observe(partition, 2, 3, 3);
        for (int node = 1; node <= 2; node++) {
            Scenario.Dump dump = history.beginDump(DumpKind.FINAL, node, partition, 3);
            dump.batch(-1, -1, -1, BatchType.DATA, at(0, a), at(1, b));
            dump.batch(-1, -1, -1, BatchType.DATA, at(2, c)).underLeaderEpoch(1);
        }

        assertThat(history.kinds()).isEmpty();
        assertThat(history.report().tolerated()).containsEntry("I8 watermark-of-a-former-leader", 1L);
    }

    @Test
    void shouldFindALowWatermarkBeforeARestartOfTheOnlyReplica() {
        long a = history.sent(producer, partition, 0);
        history.poll(history.reader(partition), partition, at(0, a)).dump(1, partition, at(0, a));
        history.observe(partition, 0, 0, -1).observe(partition, 1, 1, 1);

        assertThat(history.kinds()).containsExactly("I8 read-above-high-watermark");
    }

    @Test
    void shouldAllowALowWatermarkToANewLeaderOfReplicasOnly() {
        long a = history.sent(producer, partition, 0);
        long b = history.sent(producer, partition, 1);
        history.poll(history.reader(partition), partition, at(0, a), at(1, b)).dump(1, partition, at(0, a), at(1, b));
        history.observe(partition, 1, 1, 1);
        assertThat(history.kinds()).as("the only replica").containsExactly("I8 read-above-high-watermark");

        history.dump(2, partition, at(0, a), at(1, b));
        assertThat(history.kinds()).isEmpty();
        assertThat(history.report().tolerated()).containsEntry("I8 watermark-of-a-new-leader", 1L);

        history.observe(partition, 0, 1, 1);
        assertThat(history.report().tolerated()).containsEntry("I8 watermark-of-a-former-leader", 1L);
    }

    @Test
    void shouldFindAWatermarkThatGoesBackUnderTheSameLeader() {
        history.observe(partition, 0, 5, -1).observe(partition, 0, 4, -1);

        assertThat(history.kinds()).containsExactly("I8 nonmonotonic-watermark");
    }

    @Test
    void shouldCompareOnlyWhatAWatermarkWasToldAfter() {
        long a = history.sent(producer, partition, 0);
        history.observe(partition, 0, 0, 0);
        history.poll(history.reader(partition), partition, at(0, a));
        assertThat(history.report().facts(Invariant.I8)).isZero();

        history.observe(partition, 0, 1, 1);
        assertThat(history.report().facts(Invariant.I8)).isEqualTo(1);
    }

    @Test
    void shouldFindAReadBelowTheLogsStart() {
        long a = history.sent(producer, partition, 0);
        history.sent(producer, partition, 1);
        history.observe(partition, 0, 2, 2, 1);
        history.poll(history.reader(partition), partition, at(0, a));
        assertThat(history.kinds()).as("the log may start at 0 again").isEmpty();
        assertThat(history.report().facts(Invariant.I24)).isZero();

        history.observe(partition, 0, 2, 2, 1);
        assertThat(history.kinds()).containsExactly("I24 read-below-log-start");
        assertThat(history.report().facts(Invariant.I24)).isEqualTo(1);
    }

    @Test
    void shouldFindAReadBelowTheLogsStartAfterTheLastFault() {
        long a = history.sent(producer, partition, 0);
        long b = history.sent(producer, partition, 1);
        history.add(new FaultsStopped(history.now())).observe(partition, 0, 2, 2, 1);
        history.finalRead(partition, at(0, a), at(1, b));

        assertThat(history.kinds()).containsExactly("I24 read-below-log-start");
    }

    @Test
    void shouldAllowAReadOfWhatWasFetchedBeforeItsDeletion() {
        long a = history.sent(producer, partition, 0);
        history.sent(producer, partition, 1);
        int reader = history.reader(partition);
        history.observe(partition, 0, 2, 2, 1).poll(reader, partition, at(0, a)).observe(partition, 0, 2, 2, 1);

        assertThat(history.kinds()).isEmpty();
    }

    @Test
    void shouldFindAReadOfWhatASlowReaderFetchedAfterItsDeletion() {
        long[] values = new long[3];
        for (int offset = 0; offset < values.length; offset++) {
            values[offset] = history.sent(producer, partition, offset);
        }
        int reader = history.reader(partition);
        slowlyPoll(reader, 0, values[0]);
        history.observe(partition, 0, 3, 3, 3);
        slowlyPoll(reader, 1, values[1]);
        history.observe(partition, 0, 3, 3, 3);
        assertThat(history.kinds()).as("fetched before").isEmpty();

        slowlyPoll(reader, 2, values[2]);
        history.observe(partition, 0, 3, 3, 3);
        assertThat(history.kinds()).containsExactly("I24 read-below-log-start");
    }

    /** As a slow reader of a workload, which requests the next batch during the poll. */
    private void slowlyPoll(int reader, long offset, long value) {
        long invokedNs = history.now();
        history.poll(reader, partition, at(offset, value));
        history.add(new Positioned(invokedNs, reader, partition, offset + 1));
    }

    @Test
    void shouldAllowAKilledLeaderToForgetWhereItsLogStarts() {
        long a = history.sent(producer, partition, 0);
        history.sent(producer, partition, 1);
        history.observe(partition, 0, 2, 2, 1);
        history.poll(history.reader(partition), partition, at(0, a)).observe(partition, 1, 2, 2, 1);

        assertThat(history.kinds()).isEmpty();
    }
}
