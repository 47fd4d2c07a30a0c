// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import static io.slipstream.checker.Scenario.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.history.BatchType;
import io.slipstream.history.BrokerEvent.RecordsDeletable;
import io.slipstream.history.ClientEvent.Assigned;
import io.slipstream.history.ClientEvent.Positioned;
import io.slipstream.history.ClientEvent.RequestWritten;
import io.slipstream.history.ClientEvent.ResponseRead;
import io.slipstream.history.DumpKind;
import io.slipstream.history.Outcome;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.RecordRun;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Hand-written histories of logs that each violate one invariant, with the exact findings expected. */
class RedLogHistoryTest {
    private final Scenario history = new Scenario();
    private final int partition = history.partition();
    private final int producer = history.producer(ProducerKind.IDEMPOTENT);

    @Test
    void shouldFindNothingInACleanHistory() {
        long a = history.sent(producer, partition, 0);
        long b = history.sent(producer, partition, 1);
        history.poll(history.reader(partition), partition, at(0, a), at(1, b));
        history.finalRead(partition, at(0, a), at(1, b))
                .dump(1, partition, at(0, a), at(1, b))
                .dump(2, partition, at(0, a), at(1, b));

        assertThat(history.kinds()).isEmpty();
        assertThat(history.report().checked())
                .containsKeys(Invariant.I1, Invariant.I3, Invariant.I5, Invariant.I6, Invariant.I10);
    }

    @Test
    void shouldFindALostWriteInAReplica() {
        long a = history.sent(producer, partition, 0);
        long b = history.sent(producer, partition, 1);
        history.dump(1, partition, at(0, a), at(1, b))
                .beginDump(DumpKind.FINAL, 2, partition, 2)
                .batch(-1, -1, -1, BatchType.DATA, at(0, a))
                .batch(1, 1, -1, -1, -1, BatchType.DATA, true, 1, RecordRun.EMPTY);

        assertThat(history.kinds()).containsExactly("I1 lost-write");
        assertThat(history.report().anomalies().get(0).evidence().get(0))
                .contains("p0:1 sent to topic-0", "ok with offset 1");
    }

    @Test
    void shouldFindALostWriteInTheFinalReadWhereThereIsNoDump() {
        long a = history.sent(producer, partition, 0);
        history.sent(producer, partition, 1);
        history.finalRead(partition, at(0, a));

        assertThat(history.kinds()).containsExactly("I1 lost-write");
    }

    @Test
    void shouldTakeANewEpochForAChangeOfTheLeaderWhereThereIsAnotherReplica() {
        int weak = history.producer(ProducerKind.PLAIN, 1, true, "");
        history.observe(partition, 0, 1, 1);
        history.sent(weak, partition, 0);
        history.observe(partition, 1, 1, 1).dump(1, partition);
        assertThat(history.kinds()).as("the only replica").containsExactly("I1 lost-write");

        history.dump(2, partition);
        assertThat(history.kinds()).isEmpty();

        history.sent(weak, partition, 0);
        history.observe(partition, 1, 1, 1).dump(1, partition);
        assertThat(history.kinds()).as("under the same epoch").containsExactly("I1 lost-write");
    }

    @Test
    void shouldFindAnInventedRecord() {
        history.poll(history.reader(partition), partition, at(0, 77));

        assertThat(history.kinds()).containsExactly("I2 invented-record");
    }

    @Test
    void shouldFindARecordWhoseSendFailed() {
        long a = history.invoke(producer, partition);
        history.complete(a, Outcome.FAILED, -1, "RecordTooLargeException")
                .poll(history.reader(partition), partition, at(0, a));

        assertThat(history.kinds()).containsExactly("I2 G1a");
    }

    @Test
    void shouldFindTwoValuesAtOneOffset() {
        history.sent(producer, partition, 0);
        long b = history.invoke(producer, partition);
        history.poll(history.reader(partition), partition, at(0, b));

        assertThat(history.kinds()).containsExactly("I3 inconsistent-offsets");
    }

    @Test
    void shouldFindAnAcknowledgementWithAnotherOffset() {
        long a = history.sent(producer, partition, 5);
        history.poll(history.reader(partition), partition, at(4, a));

        assertThat(history.kinds()).containsExactly("I3 inconsistent-offsets");
    }

    @Test
    void shouldFindADuplicateOnlyWhereASequenceExcludesIt() {
        int plain = history.producer(ProducerKind.PLAIN);
        long repeated = history.sent(plain, partition, 1);
        history.poll(history.reader(partition), partition, at(0, repeated), at(1, repeated));
        assertThat(history.kinds()).isEmpty();

        long a = history.sent(producer, partition, 2);
        history.poll(history.reader(partition), partition, at(0, repeated), at(1, repeated), at(2, a), at(3, a));
        assertThat(history.kinds()).containsExactly("I3 duplicate");
    }

    @Test
    void shouldTolerateADuplicateThatAClientSentUnderANewEpochToARestartedBroker() {
        long a = history.sent(producer, partition, 1);
        Scenario.Dump dump =
                history.beginDump(DumpKind.FINAL, 1, partition, 2).batch(7, 0, 0, BatchType.DATA, at(0, a));
        dump.batch(1, 1, 7, 1, 0, BatchType.DATA, true, 0, history.run(at(1, a)));
        assertThat(history.kinds()).as("the same leader").containsExactly("I3 duplicate");

        dump.underLeaderEpoch(1);
        assertThat(history.kinds()).isEmpty();
        assertThat(history.report().tolerated()).containsOnlyKeys("I3 duplicate-after-epoch-bump");
    }

    @Test
    void shouldFindAMisplacedRecord() {
        int other = history.partition();
        long a = history.sent(producer, partition, 0);
        history.poll(history.reader(other), other, at(0, a));

        assertThat(history.kinds()).containsExactly("I4 misplaced-record");
    }

    @Test
    void shouldFindRecordsOfOtherClustersAndBrokenOnes() {
        RecordRun records = new RecordRun.Builder(2)
                .add(0, 0, RecordRun.FOREIGN, 0, 0)
                .add(1, -1, RecordRun.CORRUPT, 0, 0)
                .build();
        history.poll(history.reader(partition), partition, records);

        assertThat(history.kinds()).containsExactly("I4 corrupt-record", "I4 foreign-record");
    }

    @Test
    void shouldFindAlteredBytes() {
        long a = history.sent(producer, partition, 0);
        history.poll(
                history.reader(partition),
                partition,
                new RecordRun.Builder(1)
                        .add(0, a, partition, 1 + Scenario.digest(a), 0)
                        .build());

        assertThat(history.kinds()).containsExactly("I4 altered-record");
    }

    @Test
    void shouldFindOffsetsAgainstTheProducersOrder() {
        long a = history.invoke(producer, partition);
        long b = history.invoke(producer, partition);
        history.ok(a, 1).ok(b, 0);

        assertThat(history.kinds()).containsExactly("I5 nonmonotonic-send");
    }

    @Test
    void shouldFindOffsetsAgainstTheOrderWithinATransaction() {
        int transactional = history.producer(ProducerKind.TRANSACTIONAL);
        history.begin(transactional, 0);
        long a = history.invoke(transactional, partition, 0, -1);
        long b = history.invoke(transactional, partition, 0, -1);
        history.ok(a, 1).ok(b, 0).end(transactional, 0, true, Outcome.OK);

        assertThat(history.kinds()).containsExactly("I5 int-nonmonotonic-send");
    }

    @Test
    void shouldFindOffsetsAgainstRealTime() {
        history.sent(producer, partition, 1);
        history.sent(history.producer(ProducerKind.IDEMPOTENT), partition, 0);

        assertThat(history.kinds()).containsExactly("I5 nonmonotonic-send");
        assertThat(history.report().anomalies().get(0).what()).contains("acknowledged before the other was sent");
    }

    @Test
    void shouldFindASkipBetweenPollsAndWithinOne() {
        long a = history.sent(producer, partition, 0);
        history.sent(producer, partition, 1);
        long c = history.sent(producer, partition, 2);
        int reader = history.reader(partition);
        history.poll(reader, partition, at(0, a)).poll(reader, partition, at(2, c));
        assertThat(history.kinds()).containsExactly("I6 poll-skip");

        history.poll(history.reader(partition), partition, at(0, a), at(2, c));
        assertThat(history.kinds()).containsExactly("I6 int-poll-skip", "I6 poll-skip");
    }

    @Test
    void shouldFindAStepBackBetweenPollsAndWithinOne() {
        long a = history.sent(producer, partition, 0);
        long b = history.sent(producer, partition, 1);
        int reader = history.reader(partition);
        history.poll(reader, partition, at(0, a), at(1, b)).poll(reader, partition, at(1, b));
        assertThat(history.kinds()).containsExactly("I6 nonmonotonic-poll");

        history.poll(history.reader(partition), partition, at(0, a), at(1, b), at(0, a));
        assertThat(history.kinds()).containsExactly("I6 int-nonmonotonic-poll", "I6 nonmonotonic-poll");
    }

    @Test
    void shouldAllowGapsThatNobodyMustSeeAndNewAssignments() {
        int transactional = history.producer(ProducerKind.TRANSACTIONAL);
        long a = history.sent(producer, partition, 0);
        history.begin(transactional, 0);
        history.sentIn(0, transactional, partition, 1);
        history.end(transactional, 0, false, Outcome.OK); // its marker is at 2
        long b = history.sent(producer, partition, 3);
        int reader = history.committedReader(partition);
        history.poll(reader, partition, at(0, a), at(3, b));
        history.add(new Assigned(history.now(), reader, new int[] {partition})).poll(reader, partition, at(0, a));
        history.add(new Positioned(history.now(), reader, partition, 3)).poll(reader, partition, at(3, b));

        assertThat(history.kinds()).isEmpty();
    }

    @Test
    void shouldAllowASkipOfDeletedRecords() {
        history.sent(producer, partition, 0);
        long b = history.sent(producer, partition, 1);
        int reader = history.reader(partition);
        history.add(new RecordsDeletable(history.now(), partition, 1)).poll(reader, partition, at(1, b));
        history.finalRead(partition, at(1, b));

        assertThat(history.kinds()).isEmpty();
    }

    @Test
    void shouldFindALossAboveTheLogStartThatRetentionLeft() {
        history.sent(producer, partition, 0);
        history.add(new RecordsDeletable(history.now(), partition, Long.MAX_VALUE));
        long b = history.sent(producer, partition, 1);
        history.sent(producer, partition, 2);
        history.dumpFrom(1, 1, partition, at(1, b));
        assertThat(history.kinds()).as("0 was deleted, 2 was not").containsExactly("I1 lost-write");
        assertThat(history.report().counts()).containsEntry("I1 lost-write", 1L);

        history.observe(partition, 0, 3, 3, 3);
        assertThat(history.kinds()).as("a killed leader may forget the start").isEmpty();
    }

    @Test
    void shouldAllowAReplicaThatDeletedMoreThanTheLeaderAndNoMoreThanItMay() {
        long a = history.sent(producer, partition, 0);
        long b = history.sent(producer, partition, 1);
        long c = history.sent(producer, partition, 2);
        history.add(new RecordsDeletable(history.now(), partition, 1));
        history.finalRead(partition, at(1, b), at(2, c));

        // The first one is the reference of the others.
        history.dump(1, partition, at(1, b), at(2, c));
        history.dump(2, partition, at(0, a), at(1, b), at(2, c));
        assertThat(history.kinds()).isEmpty();

        history.dump(3, partition, at(2, c));
        assertThat(history.kinds()).contains("I10 hole-in-log");
    }

    @Test
    void shouldFindWhatIsInTheLogAndUnseenByTheFinalRead() {
        long a = history.sent(producer, partition, 0);
        long b = history.sent(producer, partition, 1);
        history.finalRead(partition, at(0, a)).dump(1, partition, at(0, a), at(1, b));

        assertThat(history.kinds()).containsExactly("I7 unseen");
    }

    @Test
    void shouldFindAReadOfWhatWasTruncated() {
        long a = history.sent(producer, partition, 0);
        long b = history.invoke(producer, partition);
        history.poll(history.reader(partition), partition, at(0, a), at(1, b)).dump(1, partition, at(0, a));

        assertThat(history.kinds()).containsExactly("I9 truncated-read");
    }

    @Test
    void shouldFindAReadUnderAnotherEpoch() {
        long a = history.sent(producer, partition, 0);
        RecordRun records = new RecordRun.Builder(1)
                .add(0, a, partition, Scenario.digest(a), 1)
                .build();
        history.poll(history.reader(partition), partition, records).dump(1, partition, at(0, a));

        assertThat(history.kinds()).containsExactly("I9 other-epoch");
    }

    @Test
    void shouldFindReplicasWithOtherBytes() {
        long a = history.sent(producer, partition, 0);
        history.dump(1, partition, at(0, a))
                .beginDump(DumpKind.FINAL, 2, partition, 1)
                .batch(0, 0, -1, -1, -1, BatchType.DATA, true, 4711, history.run(at(0, a)));

        assertThat(history.kinds()).containsExactly("I23 divergent-replicas");
    }

    @Test
    void shouldFindAnInvalidBatchAndAHole() {
        long a = history.sent(producer, partition, 0);
        long b = history.sent(producer, partition, 2);
        history.beginDump(DumpKind.FINAL, 1, partition, 3)
                .batch(0, 0, -1, -1, -1, BatchType.DATA, false, 0, history.run(at(0, a)))
                .batch(2, 2, -1, -1, -1, BatchType.DATA, true, 0, history.run(at(2, b)));

        assertThat(history.kinds()).containsExactly("I10 hole-in-log", "I10 invalid-batch");
    }

    @Test
    void shouldFindResponsesOutOfOrder() {
        history.add(new RequestWritten(history.now(), 0, 1, 0, 11)).add(new RequestWritten(history.now(), 0, 2, 0, 11));
        history.add(new ResponseRead(history.now(), 0, 2, 0)).add(new ResponseRead(history.now(), 0, 1, 0));
        assertThat(history.kinds()).containsExactly("I11 reordered-response");

        history.add(new ResponseRead(history.now(), 0, 1, 0));
        assertThat(history.kinds()).containsExactly("I11 reordered-response", "I11 unexpected-response");
    }

    @Test
    void shouldFindAnErrorThatKafkaDoesNotAnswerToTheRequest() {
        List.of(3, 78)
                .forEach(error -> history.add(new RequestWritten(history.now(), 0, error, 0, 11))
                        .add(new ResponseRead(history.now(), 0, error, error)));

        assertThat(history.kinds()).containsExactly("I11 foreign-error");
    }
}
