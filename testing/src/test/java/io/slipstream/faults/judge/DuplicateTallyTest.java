// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.slipstream.history.BatchType;
import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.BrokerEvent.LogDumped;
import io.slipstream.history.ClientEvent.SendCompleted;
import io.slipstream.history.ClientEvent.SendInvoked;
import io.slipstream.history.Declaration.ProducerDeclared;
import io.slipstream.history.DumpKind;
import io.slipstream.history.Event;
import io.slipstream.history.MemoryHistory;
import io.slipstream.history.Outcome;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.RecordRun;
import io.slipstream.history.RunEvent.FaultBegun;
import io.slipstream.history.RunEvent.FaultEnded;
import io.slipstream.history.ValueId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DuplicateTallyTest {
    private static final int IDEMPOTENT = 0;
    private static final int PLAIN = 1;

    @Test
    void shouldBlameTheFirstFaultThatMetTheSend() {
        List<Event> events = history();
        events.add(dumped(0, DumpKind.FINAL));
        events.add(batch(0, 0, ValueId.of(IDEMPOTENT, 0), ValueId.of(IDEMPOTENT, 1), ValueId.of(IDEMPOTENT, 2)));
        events.add(batch(0, 3, ValueId.of(IDEMPOTENT, 1), ValueId.of(IDEMPOTENT, 2)));

        DuplicateTally tally = DuplicateTally.of(MemoryHistory.of(events));

        assertThat(tally.recordsByFault()).containsExactly(entry(2, 1), entry(3, 1));
        assertThat(tally.records()).isEqualTo(2);
    }

    @Test
    void shouldCountNeitherPlainProducersNorImagesOfACrash() {
        List<Event> events = history();
        events.add(dumped(0, DumpKind.CRASH_IMAGE));
        events.add(batch(0, 0, ValueId.of(IDEMPOTENT, 0)));
        events.add(dumped(1, DumpKind.FINAL));
        events.add(batch(1, 0, ValueId.of(IDEMPOTENT, 0), ValueId.of(PLAIN, 0), ValueId.of(PLAIN, 0)));

        assertThat(DuplicateTally.of(MemoryHistory.of(events)).recordsByFault()).isEmpty();
    }

    @Test
    void shouldHoldDuplicatesToTheBatchesInFlight() {
        assertThat(duplicatesOf(DuplicateTally.MOST_BATCHES, 1).failures()).isEmpty();
        assertThat(duplicatesOf(DuplicateTally.MOST_BATCHES + 1, 1).failures())
                .singleElement()
                .asString()
                .contains("6 batches", "after fault 1");
    }

    /** A paused leader has not answered when the producer sends to its successor (seed 1127042369). */
    @Test
    void shouldHoldDuplicatesToTheBatchesInFlightToEachLeader() {
        assertThat(duplicatesOf(2 * DuplicateTally.MOST_BATCHES, 2).failures()).isEmpty();
        assertThat(duplicatesOf(2 * DuplicateTally.MOST_BATCHES + 2, 2).failures())
                .hasSize(2)
                .allMatch(failure -> failure.contains("6 batches"));
    }

    @Test
    void shouldExplainNoDuplicateOfARecordThatWasAnsweredBeforeTheFault() {
        List<Event> events = new ArrayList<>();
        events.add(new ProducerDeclared(IDEMPOTENT, ProducerKind.IDEMPOTENT, -1, true, ""));
        events.add(new SendInvoked(10, IDEMPOTENT, 0, 0, -1, 0, ValueId.NONE));
        events.add(new SendCompleted(15, IDEMPOTENT, 0, Outcome.OK, 0, ""));
        events.add(new FaultBegun(20, 0, "kill", "broker"));
        events.add(new FaultEnded(25, 0));
        events.add(dumped(0, DumpKind.FINAL));
        events.add(batch(0, 0, ValueId.of(IDEMPOTENT, 0)));
        events.add(batch(0, 1, ValueId.of(IDEMPOTENT, 0)));

        assertThat(DuplicateTally.of(MemoryHistory.of(events)).failures())
                .singleElement()
                .asString()
                .contains("no fault explains");
    }

    /** So many batches of one record, each twice, all in flight to as many leaders at a kill. */
    private static DuplicateTally duplicatesOf(int batches, int leaders) {
        List<Event> events = new ArrayList<>();
        events.add(new ProducerDeclared(IDEMPOTENT, ProducerKind.IDEMPOTENT, -1, true, ""));
        for (int i = 0; i < batches; i++) {
            events.add(new SendInvoked(10, IDEMPOTENT, i, 0, -1, 0, ValueId.NONE));
        }
        events.add(new FaultBegun(20, 0, "kill", "broker"));
        events.add(new FaultEnded(25, 0));
        events.add(dumped(0, DumpKind.FINAL));
        for (int i = 0; i < 2 * batches; i++) {
            int leaderEpoch = i < batches ? i * leaders / batches : leaders;
            events.add(batchUnder(leaderEpoch, 0, i, ValueId.of(IDEMPOTENT, i % batches)));
        }
        return DuplicateTally.of(MemoryHistory.of(events));
    }

    /** Sends at 10, 30 and 50; kills 1 to 3 at 20, 40 and 60. */
    private static List<Event> history() {
        List<Event> events = new ArrayList<>();
        events.add(new ProducerDeclared(IDEMPOTENT, ProducerKind.IDEMPOTENT, -1, true, ""));
        events.add(new ProducerDeclared(PLAIN, ProducerKind.PLAIN, 1, true, ""));
        events.add(new SendInvoked(10, PLAIN, 0, 0, -1, 0, ValueId.NONE));
        for (int i = 0; i < 3; i++) {
            events.add(new SendInvoked(10 + 20 * i, IDEMPOTENT, i, 0, -1, 0, ValueId.NONE));
            events.add(new FaultBegun(20 + 20 * i, i, "kill", "broker"));
            events.add(new FaultEnded(25 + 20 * i, i));
        }
        return events;
    }

    private static LogDumped dumped(int dump, DumpKind kind) {
        return new LogDumped(dump, kind, 0, 1, true, 0, -1, 100, 100);
    }

    private static BatchDumped batch(int dump, long offset, long... values) {
        return batchUnder(0, dump, offset, values);
    }

    private static BatchDumped batchUnder(int leaderEpoch, int dump, long offset, long... values) {
        RecordRun.Builder run = new RecordRun.Builder(values.length);
        for (int i = 0; i < values.length; i++) {
            run.add(offset + i, values[i], 0, 0, 0);
        }
        return new BatchDumped(
                dump, offset, offset + values.length - 1, leaderEpoch, 1, 0, 0, BatchType.DATA, true, 0, run.build());
    }
}
