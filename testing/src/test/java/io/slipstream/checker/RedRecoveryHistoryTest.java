// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import static io.slipstream.checker.Scenario.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.history.BatchType;
import io.slipstream.history.DumpKind;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.ResourcePhase;
import io.slipstream.history.RunEvent.ResourceCounted;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories that violate the invariants of recovery and resources. */
class RedRecoveryHistoryTest {
    private final Scenario history = new Scenario();
    private final int partition = history.partition();
    private final int producer = history.producer(ProducerKind.IDEMPOTENT);

    @Test
    void shouldFindWhatRecoveryLostInventedAndTore() {
        long a = history.sent(producer, partition, 0);
        Scenario.Dump image = history.beginDump(DumpKind.CRASH_IMAGE, 1, partition, 1);
        image.batch(-1, -1, -1, BatchType.DATA, at(0, a));
        assertThat(history.kinds()).isEmpty();

        history.beginDump(DumpKind.CRASH_IMAGE, 1, partition, 0);
        assertThat(history.kinds()).containsExactly("I18 lost-by-recovery");

        long b = history.invoke(producer, partition);
        image.batch(1, 1, -1, -1, -1, BatchType.DATA, true, 0, history.run(at(1, b)));
        assertThat(history.kinds()).containsExactly("I18 invented-by-recovery", "I18 lost-by-recovery");

        image.batch(2, 2, -1, -1, -1, BatchType.DATA, false, 0, history.run());
        assertThat(history.kinds())
                .containsExactly("I18 invented-by-recovery", "I18 lost-by-recovery", "I18 torn-batch");
    }

    @Test
    void shouldFindAResourceThatDidNotComeBack() {
        history.add(counted("threads", ResourcePhase.BASELINE, 40)).add(counted("threads", ResourcePhase.END, 42));
        assertThat(history.kinds()).isEmpty();

        history.add(counted("memoryRegions", ResourcePhase.BASELINE, 4))
                .add(counted("memoryRegions", ResourcePhase.END, 7));
        assertThat(history.kinds()).containsExactly("I21 leak");
    }

    private ResourceCounted counted(String resource, ResourcePhase phase, long count) {
        return new ResourceCounted(history.now(), "proxy", resource, phase, count, 2);
    }

    @Test
    void shouldPutTheSmallestOffendingPartIntoTheReport() {
        long a = history.sent(producer, partition, 0);
        history.sent(producer, partition, 1);
        long c = history.sent(producer, partition, 2);
        history.poll(history.reader(partition), partition, at(0, a), at(2, c));

        List<String> evidence = history.report().anomalies().get(0).evidence();

        assertThat(evidence).hasSize(3);
        assertThat(evidence.get(0)).contains("polled at", "0=p0:0, 2=p0:2");
        assertThat(evidence.get(1)).contains("p0:1 sent to topic-0", "ok with offset 1");
        assertThat(evidence.get(2)).isEqualTo("topic-0 around 1: 0=p0:0 1=p0:1 2=p0:2 3=?");
        assertThat(history.report().text()).contains("I6 int-poll-skip", "1 ANOMALIES");
    }
}
