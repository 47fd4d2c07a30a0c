// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import static io.slipstream.checker.Scenario.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.history.BatchType;
import io.slipstream.history.BrokerEvent.BatchRefused;
import io.slipstream.history.ClientEvent.ClientFailed;
import io.slipstream.history.DumpKind;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.RdmaEvent.BytesLanded;
import io.slipstream.history.RdmaEvent.CreditsCounted;
import io.slipstream.history.RdmaEvent.Fenced;
import io.slipstream.history.RdmaEvent.Granted;
import io.slipstream.history.RdmaEvent.RangeHashed;
import io.slipstream.history.RdmaEvent.SlotAccepted;
import io.slipstream.history.RdmaEvent.SlotPublished;
import io.slipstream.history.ResourcePhase;
import io.slipstream.history.RunEvent.FaultBegun;
import io.slipstream.history.RunEvent.FaultEnded;
import io.slipstream.history.RunEvent.ResourceCounted;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories that violate the RDMA invariants, and pairs of histories of two arms. */
class RedRdmaHistoryTest {
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
    void shouldFindARefusedBatchInTheLog() {
        long a = history.invoke(producer, partition);
        history.add(new BatchRefused(history.now(), partition, producer, 0, "CORRUPT_MESSAGE"))
                .dump(1, partition, at(0, a));

        assertThat(history.kinds()).containsExactly("I18 refused-batch-in-log");
    }

    @Test
    void shouldFindOverlappingWritableGrants() {
        history.add(new Granted(history.now(), 0, 1, 0, 100, true))
                .add(new Granted(history.now(), 1, 1, 100, 200, true));
        history.add(new Granted(history.now(), 2, 1, 50, 60, false))
                .add(new Granted(history.now(), 3, 2, 0, 100, true));
        assertThat(history.kinds()).isEmpty();

        history.add(new Granted(history.now(), 4, 1, 99, 100, true));
        assertThat(history.kinds()).containsExactly("I19 overlapping-grants");
    }

    @Test
    void shouldAllowTheSameBytesToBeGrantedAgainAfterAFence() {
        history.add(new Granted(history.now(), 0, 1, 0, 100, true)).add(new BytesLanded(history.now(), 0, 0, 100));
        history.add(new Fenced(history.now(), 0, 4)).add(new RangeHashed(history.now(), 0, 4));
        history.add(new Granted(history.now(), 1, 1, 0, 100, true));

        assertThat(history.kinds()).isEmpty();
    }

    @Test
    void shouldFindBytesThatChangedAfterTheFence() {
        history.add(new Granted(history.now(), 0, 1, 0, 100, true)).add(new Fenced(history.now(), 0, 4));
        history.add(new RangeHashed(history.now(), 0, 5));
        assertThat(history.kinds()).containsExactly("I19 changed-after-fence");

        history.add(new BytesLanded(history.now(), 0, 0, 8));
        assertThat(history.kinds()).containsExactly("I19 changed-after-fence", "I19 write-after-fence");
    }

    @Test
    void shouldFindAWriteOutsideOfItsGrant() {
        history.add(new Granted(history.now(), 0, 1, 0, 100, true)).add(new BytesLanded(history.now(), 0, 96, 104));

        assertThat(history.kinds()).containsExactly("I19 write-outside-grant");
    }

    @Test
    void shouldFindTornUnpublishedAndStaleSlots() {
        history.add(new SlotPublished(history.now(), 1, 0, 0, 1, 11))
                .add(new SlotPublished(history.now(), 1, 0, 0, 2, 12));
        history.add(new SlotAccepted(history.now(), "reader", 1, 0, 0, 1, 11))
                .add(new SlotAccepted(history.now(), "reader", 1, 0, 0, 2, 12));
        assertThat(history.kinds()).isEmpty();

        history.add(new SlotAccepted(history.now(), "torn", 1, 0, 0, 2, 11));
        assertThat(history.kinds()).containsExactly("I20 torn-slot");

        history.add(new SlotAccepted(history.now(), "reader", 1, 0, 0, 1, 11));
        assertThat(history.kinds()).containsExactly("I20 stale-slot", "I20 torn-slot");

        history.add(new SlotAccepted(history.now(), "early", 1, 0, 0, 3, 13));
        assertThat(history.kinds()).containsExactly("I20 stale-slot", "I20 torn-slot", "I20 unpublished-slot");
    }

    @Test
    void shouldFindASlotOfAnEarlierLifeOfTheBroker() {
        history.add(new SlotPublished(history.now(), 1, 0, 0, 9, 11))
                .add(new SlotPublished(history.now(), 2, 0, 0, 1, 12));
        history.add(new SlotAccepted(history.now(), "reader", 2, 0, 0, 1, 12))
                .add(new SlotAccepted(history.now(), "reader", 1, 0, 0, 9, 11));

        assertThat(history.kinds()).containsExactly("I20 stale-slot");
    }

    @Test
    void shouldFindCreditsThatAreLostOrDoNotComeBack() {
        history.add(new CreditsCounted(history.now(), "link", 64, 60, 4))
                .add(new CreditsCounted(history.now(), "link", 64, 64, 0));
        assertThat(history.kinds()).isEmpty();

        history.add(new CreditsCounted(history.now(), "other", 64, 63, 1));
        assertThat(history.kinds()).containsExactly("I21 leak");

        history.add(new CreditsCounted(history.now(), "link", 64, 63, 0));
        assertThat(history.kinds()).containsExactly("I21 leak", "I21 lost-credit");
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
    void shouldFindAnAnomalyThatOnlyTheJudgedArmShows() {
        history.poll(history.reader(partition), partition, at(0, 77));
        Report red = history.report();
        Report clean = new Scenario().report();

        assertThat(ArmComparison.compare(clean, red)).extracting(Anomaly::kind).containsExactly("I17 only-direct");
        assertThat(ArmComparison.compare(red, red)).isEmpty();
        assertThat(ArmComparison.compare(red, clean)).isEmpty();
    }

    @Test
    void shouldFindAFaultInWhichOnlyTheDirectArmServes() {
        Report served = arm(100, 0);
        Report silent = arm(99, 0);

        assertThat(ArmComparison.compare(served, served)).isEmpty();
        assertThat(ArmComparison.compare(silent, silent))
                .as("nothing is asked where direct fails too")
                .isEmpty();
        assertThat(ArmComparison.compare(served, silent))
                .extracting(Anomaly::kind)
                .containsExactly("I22 unavailable");
    }

    @Test
    void shouldFindALongerSilence() {
        assertThat(ArmComparison.compare(arm(200, 0), arm(200, 1_900_000_000L))).isEmpty();
        assertThat(ArmComparison.compare(arm(200, 0), arm(200, 2_100_000_000L)))
                .extracting(Anomaly::kind)
                .containsExactly("I22 long-unavailability");
    }

    @Test
    void shouldFindAnErrorThatOnlyTheJudgedArmShows() {
        history.add(new ClientFailed(history.now(), "consumer", "poll", "CorruptRecordException"));

        assertThat(ArmComparison.compare(new Scenario().report(), history.report()))
                .extracting(Anomaly::kind)
                .containsExactly("I22 foreign-error");
    }

    /** A fault with this many acknowledged sends, then silence, then its end. */
    private static Report arm(int operations, long silenceNs) {
        Scenario arm = new Scenario();
        int to = arm.partition();
        int by = arm.producer(ProducerKind.IDEMPOTENT);
        arm.add(new FaultBegun(arm.now(), 0, "proxy-kill", "proxy"));
        for (int i = 0; i < operations; i++) {
            arm.sent(by, to, i);
        }
        arm.add(new FaultEnded(arm.now() + silenceNs, 0));
        return arm.report();
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
