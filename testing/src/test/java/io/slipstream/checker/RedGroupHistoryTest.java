// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import static io.slipstream.checker.Scenario.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.history.BatchType;
import io.slipstream.history.BrokerEvent.GroupOffsetFound;
import io.slipstream.history.ClientEvent.Assigned;
import io.slipstream.history.ClientEvent.OffsetsCommitted;
import io.slipstream.history.ClientEvent.Positioned;
import io.slipstream.history.ClientEvent.ProducerInitialized;
import io.slipstream.history.ClientEvent.TransactionOffsetsSent;
import io.slipstream.history.ConsumerKind;
import io.slipstream.history.Declaration.CopyDeclared;
import io.slipstream.history.DumpKind;
import io.slipstream.history.Outcome;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.RecordRun;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Histories of groups and transactions that each violate one invariant. */
class RedGroupHistoryTest {
    private static final String GROUP = "g";

    private final Scenario history = new Scenario();
    private final int partition = history.partition();
    private final int producer = history.producer(ProducerKind.IDEMPOTENT);
    private final int transactional = history.producer(ProducerKind.TRANSACTIONAL);

    private int member() {
        return history.consumer(ConsumerKind.GROUP, GROUP, false, partition);
    }

    private void rebalanceTo(int consumer, long position) {
        history.add(new Assigned(history.now(), consumer, new int[] {partition}))
                .add(new Positioned(history.now(), consumer, partition, position));
    }

    @Test
    void shouldAcceptWhatGroupsAndTransactionsMayDo() {
        long a = history.sent(producer, partition, 0);
        history.begin(transactional, 0);
        long b = history.sentIn(0, transactional, partition, 1);
        history.end(transactional, 0, true, Outcome.OK); // marker at 2
        int member = member();
        history.poll(member, partition, at(0, a), at(1, b)).commit(member, GROUP, partition, 3);
        rebalanceTo(member, 3);
        history.add(new GroupOffsetFound(GROUP, partition, 3)).committedFinalRead(partition, at(0, a), at(1, b));

        assertThat(history.kinds()).isEmpty();
        assertThat(history.report().checked()).containsKeys(Invariant.I12, Invariant.I13, Invariant.I14);
    }

    @Test
    void shouldFindALostCommit() {
        long a = history.sent(producer, partition, 0);
        int member = member();
        history.poll(member, partition, at(0, a))
                .commit(member, GROUP, partition, 0)
                .commit(member, GROUP, partition, 1);
        history.add(new GroupOffsetFound(GROUP, partition, 0));

        assertThat(history.kinds()).containsExactly("I12 lost-commit");
    }

    @Test
    void shouldFindAMemberThatBeginsBelowTheCommittedOffset() {
        long a = history.sent(producer, partition, 0);
        int member = member();
        history.poll(member, partition, at(0, a)).commit(member, GROUP, partition, 1);
        rebalanceTo(member, 0);

        assertThat(history.kinds()).containsExactly("I12 nonmonotonic-commit");
    }

    @Test
    void shouldFindWhatWasCommittedAndNotDelivered() {
        long a = history.sent(producer, partition, 0);
        history.sent(producer, partition, 1);
        int member = member();
        history.poll(member, partition, at(0, a)).commit(member, GROUP, partition, 2);

        assertThat(history.kinds()).containsExactly("I12 undelivered");
    }

    @Test
    void shouldTakeACommitOfUnknownOutcomeForPossible() {
        long a = history.sent(producer, partition, 0);
        int member = member();
        history.poll(member, partition, at(0, a)).commit(member, GROUP, partition, 0);
        history.add(new OffsetsCommitted(
                history.now(),
                history.now(),
                member,
                GROUP,
                new int[] {partition},
                new long[] {1},
                Outcome.UNKNOWN,
                "TimeoutException"));
        rebalanceTo(member, 0);
        rebalanceTo(member, 1);

        assertThat(history.kinds()).isEmpty();
    }

    @Test
    void shouldCountOffsetsOfCommittedTransactions() {
        long a = history.sent(producer, partition, 0);
        int member = member();
        history.poll(member, partition, at(0, a)).begin(transactional, 0);
        history.add(new TransactionOffsetsSent(
                history.now(), transactional, 0, GROUP, new int[] {partition}, new long[] {1}, Outcome.OK, ""));
        history.end(transactional, 0, true, Outcome.OK).add(new GroupOffsetFound(GROUP, partition, 0));

        assertThat(history.kinds()).containsExactly("I12 lost-commit");
    }

    @Test
    void shouldFindATransactionTornByItsMarkers() {
        int other = history.partition();
        history.begin(transactional, 0);
        long a = history.sentIn(0, transactional, partition, 0);
        long b = history.sentIn(0, transactional, other, 0);
        history.end(transactional, 0, true, Outcome.UNKNOWN);
        history.beginDump(DumpKind.FINAL, 1, partition, 2)
                .batch(7, 0, 0, BatchType.TRANSACTIONAL, at(0, a))
                .marker(1, 7, 0, true);
        history.beginDump(DumpKind.FINAL, 1, other, 2)
                .batch(7, 0, 0, BatchType.TRANSACTIONAL, at(0, b))
                .marker(1, 7, 0, false);

        assertThat(history.kinds()).containsExactly("I13 torn-txn");
    }

    @Test
    void shouldFindACommittedTransactionThatIsAbortedInTheLog() {
        history.begin(transactional, 0);
        long a = history.sentIn(0, transactional, partition, 0);
        history.end(transactional, 0, true, Outcome.OK);
        history.beginDump(DumpKind.FINAL, 1, partition, 2)
                .batch(7, 0, 0, BatchType.TRANSACTIONAL, at(0, a))
                .marker(1, 7, 0, false);

        assertThat(history.kinds()).containsExactly("I13 torn-txn");
    }

    @Test
    void shouldFindACommittedTransactionOfWhichAFinalReadReturnsAPart() {
        history.begin(transactional, 0);
        long a = history.sentIn(0, transactional, partition, 0);
        history.sentIn(0, transactional, partition, 1);
        history.end(transactional, 0, true, Outcome.OK).committedFinalRead(partition, at(0, a));

        assertThat(history.kinds()).containsExactly("I13 torn-txn");
    }

    @Test
    void shouldFindAReadOfAbortedData() {
        history.begin(transactional, 0);
        long a = history.sentIn(0, transactional, partition, 0);
        history.end(transactional, 0, false, Outcome.OK).poll(history.committedReader(partition), partition, at(0, a));

        assertThat(history.kinds()).containsExactly("I14 G1a");
    }

    @Test
    void shouldFindAPrecommittedRead() {
        int reader = history.committedReader(partition);
        history.begin(transactional, 0);
        long a = history.sentIn(0, transactional, partition, 0);
        history.poll(reader, partition, at(0, a)).end(transactional, 0, true, Outcome.OK);

        assertThat(history.kinds()).containsExactly("I14 precommitted-read");
    }

    @Test
    void shouldLetReadUncommittedSeeEverything() {
        history.begin(transactional, 0);
        long a = history.sentIn(0, transactional, partition, 0);
        history.poll(history.reader(partition), partition, at(0, a)).end(transactional, 0, false, Outcome.OK);

        assertThat(history.kinds()).isEmpty();
    }

    @Test
    void shouldFindAnAppendOfAnEarlierEpoch() {
        long a = history.invoke(producer, partition);
        long b = history.invoke(producer, partition);
        history.beginDump(DumpKind.FINAL, 1, partition, 2)
                .batch(7, 1, 0, BatchType.DATA, at(0, a))
                .batch(7, 0, 0, BatchType.DATA, at(1, b));

        assertThat(history.kinds()).containsExactly("I15 zombie-append");
    }

    @Test
    void shouldFindAGapInAProducersSequence() {
        long a = history.invoke(producer, partition);
        long b = history.invoke(producer, partition);
        history.beginDump(DumpKind.FINAL, 1, partition, 2)
                .batch(7, 0, 0, BatchType.DATA, at(0, a))
                .batch(7, 0, 2, BatchType.DATA, at(1, b));

        assertThat(history.kinds()).containsExactly("I15 sequence-gap");
    }

    @Test
    void shouldLetSequencesWrapFrom2ToThe31Minus1To0() {
        long last = Integer.MAX_VALUE;
        history.beginDump(DumpKind.FINAL, 1, partition, last + 2)
                .batch(0, last - 1, 7, 0, 0, BatchType.DATA, true, 0, RecordRun.EMPTY)
                .batch(last, last, 7, 0, Integer.MAX_VALUE, BatchType.DATA, true, 0, RecordRun.EMPTY)
                .batch(last + 1, last + 1, 7, 0, 0, BatchType.DATA, true, 0, RecordRun.EMPTY);

        assertThat(history.kinds()).isEmpty();
    }

    @Test
    void shouldFindWhatAFencedProducerSentAfterItsSuccessorWasReady() {
        int zombie = history.producer(ProducerKind.TRANSACTIONAL, "t");
        int successor = history.producer(ProducerKind.TRANSACTIONAL, "t");
        history.add(new ProducerInitialized(history.now(), history.now(), successor, Outcome.OK, ""))
                .begin(zombie, 0);
        history.sentIn(0, zombie, partition, 0);

        assertThat(history.kinds()).containsExactly("I15 zombie-append");
    }

    @Test
    void shouldFindDuplicateReorderedAndMissingCopies() {
        int output = history.partition();
        history.add(new CopyDeclared(partition, output, GROUP));
        long[] inputs = new long[4];
        for (int i = 0; i < inputs.length; i++) {
            inputs[i] = history.sent(producer, partition, i);
        }
        history.begin(transactional, 0);
        copy(inputs[0], output, 0);
        copy(inputs[1], output, 1);
        assertThat(endOfCopy()).isEmpty();

        copy(inputs[1], output, 2);
        assertThat(endOfCopy()).containsExactly("I16 duplicate-copy");

        copy(inputs[3], output, 3);
        assertThat(endOfCopy()).containsExactly("I16 duplicate-copy", "I16 missing-copy");

        copy(inputs[2], output, 4);
        assertThat(endOfCopy()).containsExactly("I16 duplicate-copy", "I16 reordered-copy");
    }

    @Test
    void shouldLetWhatIsTwiceInTheInputBeCopiedTwice() {
        int output = history.partition();
        history.add(new CopyDeclared(partition, output, GROUP));
        long a = history.sent(history.producer(ProducerKind.PLAIN), partition, 1);
        history.poll(history.reader(partition), partition, at(0, a), at(1, a)).begin(transactional, 0);
        copy(a, output, 0);
        copy(a, output, 1);

        assertThat(endOfCopy()).isEmpty();
    }

    private void copy(long source, int output, long offset) {
        history.ok(history.invoke(transactional, output, 0, source), offset);
    }

    /** Of the history so far, with its transaction committed. */
    private Set<String> endOfCopy() {
        int size = history.events().size();
        history.end(transactional, 0, true, Outcome.OK);
        Set<String> kinds = history.kinds();
        history.events().subList(size, history.events().size()).clear();
        return kinds;
    }
}
