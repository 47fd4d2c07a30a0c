// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.checker.Place;
import io.slipstream.history.BatchType;
import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.BrokerEvent.LogDumped;
import io.slipstream.history.ClientEvent.SendInvoked;
import io.slipstream.history.ClientEvent.TransactionBegun;
import io.slipstream.history.ClientEvent.TransactionEnded;
import io.slipstream.history.ClientEvent.TransactionOffsetsSent;
import io.slipstream.history.Declaration.PartitionDeclared;
import io.slipstream.history.Declaration.ProducerDeclared;
import io.slipstream.history.DumpKind;
import io.slipstream.history.Event;
import io.slipstream.history.MemoryHistory;
import io.slipstream.history.Outcome;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.RecordRun;
import io.slipstream.history.ValueId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MarkerExcusesTest {
    private static final long MS = 1_000_000;
    private static final WallClock CLOCK = new WallClock(0, 0);
    private static final int PRODUCER = 0;

    /** Transactions 0, 1 and 2 of {@code t} in a-0 and b-0, asked to end at 10, 20 and 30 ms; the line is of 21 ms. */
    private static final SkippedMarker LINE = new SkippedMarker(21, "t", Set.of("a-0", "__consumer_offsets-7"));

    @Test
    void shouldExcuseTheNamedTransactionInTheNamedPartitionOnly() {
        MarkerExcuses excuses = MarkerExcuses.of(List.of(LINE), CLOCK, history(true));

        assertThat(excuses.cover(place("I14 G1a", "a-0", 1))).isTrue();
        assertThat(excuses.cover(place("I14 G1a", "a-0", 0))).isFalse();
        assertThat(excuses.cover(place("I14 G1a", "a-0", 2))).isFalse();
        assertThat(excuses.cover(place("I14 G1a", "b-0", 1))).isFalse();
        assertThat(excuses.cover(place("I1 lost-write", "a-0", 1))).isFalse();
        assertThat(excuses.cover(place("I13 torn-txn", "b-0", 1))).isTrue();
        assertThat(excuses.cover(place("I13 torn-txn", "b-0", 2))).isFalse();
    }

    @Test
    void shouldExcuseWhatLiesBehindAnOpenTransactionUntilItsMarker() {
        Place behind = new Place("I7 unseen", "a-0", "", 5, -1, 100);
        Place before = new Place("I7 unseen", "a-0", "", 5, -1, 0);

        MarkerExcuses open = MarkerExcuses.of(List.of(LINE), CLOCK, history(true));
        assertThat(open.cover(behind)).isTrue();
        assertThat(open.cover(before)).isFalse();

        MarkerExcuses closed = MarkerExcuses.of(List.of(LINE), CLOCK, history(false));
        assertThat(closed.cover(behind)).isFalse();
    }

    @Test
    void shouldExcuseTheOffsetsOfItsGroupAndAsManyCopiesAsItHadRecords() {
        MarkerExcuses excuses = MarkerExcuses.of(List.of(LINE), CLOCK, history(true));
        Place copy = new Place("I16 duplicate-copy", "in-0 to b-0", "t", PRODUCER, 2, 9);

        assertThat(excuses.cover(new Place("I12 lost-commit", "group g, in-0", "", -1, -1, -1)))
                .isTrue();
        assertThat(excuses.cover(new Place("I12 lost-commit", "group other, in-0", "", -1, -1, -1)))
                .isFalse();
        assertThat(excuses.cover(copy)).isTrue();
        assertThat(excuses.cover(copy)).isTrue();
        assertThat(excuses.cover(copy))
                .as("more than the transaction's two records")
                .isFalse();
    }

    @Test
    void shouldTurnThousandsRedBesideOneLine() {
        AnomalyTally tally = new AnomalyTally(MarkerExcuses.of(List.of(LINE), CLOCK, history(true)));
        for (int i = 0; i < 146_314; i++) {
            tally.accept(place("I14 G1a", "a-0", i % 3));
        }

        assertThat(AnomalyTally.beyond(Map.of(), tally.counts())).containsExactly("I14 G1a in a-0 of t, 97543 times");
        assertThat(tally.excused()).isEqualTo(48_771);
    }

    private static Place place(String kind, String where, int transaction) {
        return new Place(kind, where, "t", PRODUCER, transaction, 0);
    }

    /** @param open whether a-0 has no marker behind transaction 1 */
    private static MemoryHistory history(boolean open) {
        List<Event> events = new ArrayList<>();
        events.add(new PartitionDeclared(0, "a", 0));
        events.add(new PartitionDeclared(1, "b", 0));
        events.add(new ProducerDeclared(PRODUCER, ProducerKind.TRANSACTIONAL, -1, true, "t"));
        for (int i = 0; i < 3; i++) {
            long endNs = (10 + 10 * i) * MS;
            events.add(new TransactionBegun(endNs - 5 * MS, PRODUCER, i));
            events.add(new SendInvoked(endNs - 4 * MS, PRODUCER, 2 * i, 0, i, 0, ValueId.NONE));
            events.add(new SendInvoked(endNs - 4 * MS, PRODUCER, 2 * i + 1, 1, i, 0, ValueId.NONE));
            events.add(new TransactionOffsetsSent(
                    endNs - MS, PRODUCER, i, "g", new int[] {1}, new long[] {i}, Outcome.OK, ""));
            events.add(new TransactionEnded(endNs, endNs + MS / 2, PRODUCER, i, true, Outcome.OK, ""));
        }
        events.add(new LogDumped(0, DumpKind.FINAL, 0, 1, true, 0, -1, 100, 100));
        events.add(batch(0, BatchType.TRANSACTIONAL, ValueId.of(PRODUCER, 0)));
        events.add(batch(1, BatchType.COMMIT_MARKER, ValueId.NONE));
        events.add(batch(2, BatchType.TRANSACTIONAL, ValueId.of(PRODUCER, 2)));
        if (!open) {
            events.add(batch(3, BatchType.COMMIT_MARKER, ValueId.NONE));
        }
        return MemoryHistory.of(events);
    }

    private static BatchDumped batch(long offset, BatchType type, long value) {
        RecordRun.Builder run = new RecordRun.Builder(1);
        run.add(offset, value, 0, 0, 0);
        return new BatchDumped(0, offset, offset, 0, 77, 0, 0, type, true, 0, run.build());
    }
}
