// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import static io.slipstream.checker.Scenario.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.history.BatchType;
import io.slipstream.history.DumpKind;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.RecordRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Histories with three replicas, one of which is wrong, and with several producer ids. */
class RedReplicaHistoryTest {
    private static final int REPLICAS = 3;

    private final Scenario history = new Scenario();
    private final int partition = history.partition();
    private final int producer = history.producer(ProducerKind.IDEMPOTENT);
    private final long first = history.sent(producer, partition, 0);
    private final long second = history.sent(producer, partition, 1);

    private interface Damage {
        void dump(Scenario.Dump dump);
    }

    /** Dumps whole logs of all nodes but one. */
    private void dump(int damaged, Damage damage) {
        for (int node = 1; node <= REPLICAS; node++) {
            Scenario.Dump dump = history.beginDump(DumpKind.FINAL, node, partition, 2);
            if (node == damaged) {
                damage.dump(dump);
            } else {
                dump.batch(-1, -1, -1, BatchType.DATA, at(0, first)).batch(-1, -1, -1, BatchType.DATA, at(1, second));
            }
        }
    }

    @Test
    void shouldFindNothingWhereAllReplicasAreEqual() {
        dump(0, dump -> {});
        assertThat(history.kinds()).isEmpty();
    }

    /** The first replica is the reference; where it differs, all others are reported. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldFindTheReplicaWithOtherBytes(int damaged) {
        dump(
                damaged,
                dump -> dump.batch(-1, -1, -1, BatchType.DATA, at(0, first))
                        .batch(1, 1, -1, -1, -1, BatchType.DATA, true, 99, history.run(at(1, second))));
        assertThat(history.kinds()).containsExactly("I23 divergent-replicas");
        assertThat(history.report().counts().get("I23 divergent-replicas")).isEqualTo(damaged == 1 ? REPLICAS - 1 : 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldFindTheReplicaWithoutAnAcknowledgedRecord(int damaged) {
        dump(
                damaged,
                dump -> dump.batch(-1, -1, -1, BatchType.DATA, at(0, first))
                        .batch(1, 1, -1, -1, -1, BatchType.DATA, true, 1, RecordRun.EMPTY));
        assertThat(history.kinds()).containsExactly("I1 lost-write");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldFindTheReplicaThatEndsBelowTheHighWatermark(int damaged) {
        dump(damaged, dump -> dump.batch(-1, -1, -1, BatchType.DATA, at(0, first)));
        assertThat(history.kinds()).contains("I1 lost-write", "I10 hole-in-log");
    }

    /** Under new epochs of the leader and of the producer; only the producer id tells it from a resend of a client. */
    @ParameterizedTest
    @ValueSource(longs = {7, 8, -1})
    void shouldForgiveADuplicateOnlyOfOneProducerId(long secondId) {
        long repeated = history.sent(producer, partition, 3);
        history.beginDump(DumpKind.FINAL, 1, partition, 4)
                .batch(-1, -1, -1, BatchType.DATA, at(0, first))
                .batch(-1, -1, -1, BatchType.DATA, at(1, second))
                .batch(7, 0, 0, BatchType.DATA, at(2, repeated))
                .batch(3, 3, secondId, 1, 0, BatchType.DATA, true, 3, history.run(at(3, repeated)))
                .underLeaderEpoch(1);
        if (secondId == 7) {
            assertThat(history.kinds()).isEmpty();
        } else {
            assertThat(history.kinds()).containsExactly("I3 duplicate");
        }
    }
}
