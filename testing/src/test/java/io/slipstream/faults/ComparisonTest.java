// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.checker.Place;
import io.slipstream.checker.Report;
import io.slipstream.faults.judge.AnomalyTally;
import io.slipstream.faults.judge.ClientKind;
import io.slipstream.faults.judge.DuplicateTally;
import io.slipstream.faults.judge.Judgement;
import io.slipstream.faults.judge.MarkerExcuses;
import io.slipstream.faults.judge.Service;
import io.slipstream.faults.schedule.FaultClass;
import io.slipstream.history.MemoryHistory;
import io.slipstream.history.RunKind;
import io.slipstream.process.PathCounts;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    private static final long MS = 1_000_000;

    /** One run. */
    private static final class Run {
        private final Arm arm;
        private final AnomalyTally anomalies = new AnomalyTally(MarkerExcuses.none());
        private final Map<Service.Seen, Integer> errors = new HashMap<>();
        private final List<Service.Window> windows = new ArrayList<>();
        private final List<FaultOutcome> outcomes = new ArrayList<>();
        private long operations = 1_000;
        private long durationMs = 30_000;
        private ClientKind kind = ClientKind.PLAIN_PRODUCER;
        private RunKind claims = RunKind.SYNTHETIC;

        Run(Arm arm) {
            this.arm = arm;
        }

        Run anomaly(String kind, String where, String transactionalId, int times) {
            for (int i = 0; i < times; i++) {
                anomalies.accept(new Place(kind, where, transactionalId, 0, i, i));
            }
            return this;
        }

        Run saw(String error, int fault, int sessions) {
            errors.put(new Service.Seen(fault, error), sessions);
            return this;
        }

        Run claiming(RunKind claimed) {
            claims = claimed;
            return this;
        }

        Run of(ClientKind kind) {
            this.kind = kind;
            return this;
        }

        /** The faults that follow last so long. */
        Run lasting(long ms) {
            durationMs = ms;
            return this;
        }

        Run without(long operations) {
            this.operations -= operations;
            return this;
        }

        /** A fault with one client. */
        Run fault(FaultClass faultClass, long silenceMs, long recoveryMs, long waitMs) {
            return fault(faultClass, FaultOutcome.State.CARRIED_OUT, true, silenceMs, recoveryMs, waitMs);
        }

        Run fault(
                FaultClass faultClass,
                FaultOutcome.State state,
                boolean single,
                long silenceMs,
                long recoveryMs,
                long waitMs) {
            Service.ClientService client =
                    new Service.ClientService(kind, 100, silenceMs * MS, recoveryMs * MS, true, waitMs * MS);
            int number = windows.size();
            windows.add(new Service.Window(
                    number, faultClass.label(), "proxy-1", durationMs * MS, Map.of("orders/client-0", client)));
            outcomes.add(new FaultOutcome(number, faultClass, "proxy-1", state, "", single, 100, 1));
            return this;
        }

        ArmResult result() {
            Report report = new Report(
                    claims, arm.name(), 1, Map.of(), Map.of(), List.of(), Map.of(), 1, 1, 1, 1, List.of(), Set.of());
            Service service = new Service(windows, errors, 3, operations, Map.of(), Map.of());
            Judgement judgement =
                    new Judgement(report, anomalies, service, DuplicateTally.of(MemoryHistory.of(List.of())));
            return new ArmResult(arm, null, 1, PathCounts.NONE, outcomes, judgement, List.of(), List.of(), List.of());
        }
    }

    private static Run run(Arm arm) {
        return new Run(arm);
    }

    private static List<String> differences(Run... runs) {
        Map<Arm, ArmResult> byArm = new EnumMap<>(Arm.class);
        for (Run run : runs) {
            byArm.put(run.arm, run.result());
        }
        return Comparison.differences(byArm);
    }

    @Test
    void shouldFailEachArmWithoutFactsForWhatItClaims() {
        assertThat(differences(run(Arm.DIRECT).claiming(RunKind.FAULTS), run(Arm.RDMA)))
                .contains(Arm.DIRECT + ": I1 has no facts")
                .noneMatch(what -> what.startsWith(Arm.RDMA.toString()));
        assertThat(differences(run(Arm.RDMA).claiming(RunKind.FAULTS))).contains(Arm.RDMA + ": I1 has no facts");
    }

    @Test
    void shouldExcuseAtMostAsManyAnomaliesAsTheDirectArmShows() {
        Run direct = run(Arm.DIRECT).anomaly("I7 unseen", "events-0", "", 1);

        assertThat(differences(direct, run(Arm.RDMA).anomaly("I7 unseen", "events-0", "", 209_331)))
                .containsExactly("proxy, RDMA: I7 unseen in events-0, 209331 times, directly 1");
        assertThat(differences(direct, run(Arm.RDMA).anomaly("I7 unseen", "events-0", "", 1)))
                .isEmpty();
    }

    @Test
    void shouldExcuseNothingOfAnotherPartitionOrTransaction() {
        Run direct = run(Arm.DIRECT).anomaly("I14 G1a", "events-0", "copier-0", 5);

        assertThat(differences(direct, run(Arm.RDMA).anomaly("I14 G1a", "events-1", "copier-0", 1)))
                .hasSize(1);
        assertThat(differences(direct, run(Arm.TCP).anomaly("I14 G1a", "events-0", "copier-1", 1)))
                .hasSize(1);
        assertThat(differences(direct, run(Arm.TCP).anomaly("I14 G1b", "events-0", "copier-0", 1)))
                .hasSize(1);
    }

    @Test
    void shouldReportEveryAnomalyOfASingleArm() {
        assertThat(differences(run(Arm.TCP).anomaly("I14 G0", "a-0", "", 1))).hasSize(1);
        assertThat(differences(run(Arm.DIRECT).anomaly("I14 G0", "a-0", "", 1))).hasSize(1);
    }

    @Test
    void shouldNotBlameArmsForWhatTheDirectArmAloneShows() {
        assertThat(differences(run(Arm.DIRECT).anomaly("I1 lost-write", "a-0", "", 1), run(Arm.RDMA)))
                .isEmpty();
    }

    @Test
    void shouldFindASilentArm() {
        Run direct = run(Arm.DIRECT).fault(FaultClass.BROKER_PAUSE, 200, 10, 200);

        assertThat(differences(direct, run(Arm.RDMA).fault(FaultClass.BROKER_PAUSE, 29_000, 10, 200)))
                .singleElement()
                .asString()
                .contains("orders/client-0 was silent for 29,000 ms", "fault 0, broker-pause", "longer than 200 ms");
        assertThat(differences(direct, run(Arm.RDMA).fault(FaultClass.BROKER_PAUSE, 2_200, 10, 200)))
                .isEmpty();
    }

    @Test
    void shouldAllowForAProcessThatStartsMoreSlowly() {
        Run direct = run(Arm.DIRECT).lasting(5_000).fault(FaultClass.BROKER_KILL, 5_000, 10, 200);

        assertThat(differences(direct, run(Arm.TCP).lasting(9_000).fault(FaultClass.BROKER_KILL, 9_000, 10, 200)))
                .isEmpty();
        assertThat(differences(direct, run(Arm.TCP).lasting(5_000).fault(FaultClass.BROKER_KILL, 9_000, 10, 200)))
                .hasSize(1);
    }

    @Test
    void shouldFindASlowRecoveryAndAReaderThatWaits() {
        Run direct = run(Arm.DIRECT).fault(FaultClass.BROKER_KILL, 200, 10, 200);

        assertThat(differences(direct, run(Arm.TCP).fault(FaultClass.BROKER_KILL, 200, 2_011, 200)))
                .singleElement()
                .asString()
                .contains("took 2,011 ms to recover");
        Run reader = run(Arm.DIRECT).of(ClientKind.READ_COMMITTED_READER).fault(FaultClass.BROKER_KILL, 200, 10, 200);
        assertThat(differences(
                        reader,
                        run(Arm.TCP)
                                .of(ClientKind.READ_COMMITTED_READER)
                                .fault(FaultClass.BROKER_KILL, 9_000, 10, 90_000)))
                .singleElement()
                .asString()
                .contains("waited 90,000 ms for records");
    }

    @Test
    void shouldCompareAFaultOfAProxyWithTheArmWithoutRdma() {
        Run direct = run(Arm.DIRECT).fault(FaultClass.UPSTREAM_CUT, FaultOutcome.State.SKIPPED, true, 1, 1, 1);
        Run tcp = run(Arm.TCP).fault(FaultClass.UPSTREAM_CUT, 5_000, 100, 5_000);

        assertThat(differences(direct, tcp, run(Arm.RDMA).fault(FaultClass.UPSTREAM_CUT, 6_900, 100, 5_000)))
                .isEmpty();
        assertThat(differences(direct, tcp, run(Arm.RDMA).fault(FaultClass.UPSTREAM_CUT, 7_100, 100, 5_000)))
                .hasSize(1);
    }

    @Test
    void shouldLetAClientMissAProxyAsLongAsItIsGone() {
        Run direct = run(Arm.DIRECT).fault(FaultClass.PROXY_KILL, FaultOutcome.State.SKIPPED, true, 1, 1, 1);
        Run tcp = run(Arm.TCP).lasting(3_000).fault(FaultClass.PROXY_KILL, 400, 100, 400);

        assertThat(differences(direct, tcp, rdma(3_000, 4_900))).isEmpty();
        assertThat(differences(direct, tcp, rdma(3_000, 5_100))).hasSize(1);
    }

    private static Run rdma(long durationMs, long silenceMs) {
        return run(Arm.RDMA).lasting(durationMs).fault(FaultClass.PROXY_KILL, silenceMs, 100, 400);
    }

    @Test
    void shouldAllowNoMoreForALostQueuePairThanForNoFault() {
        Run direct = run(Arm.DIRECT).fault(FaultClass.LINK_LOSS, FaultOutcome.State.SKIPPED, true, 1, 1, 1);

        assertThat(differences(direct, run(Arm.RDMA).fault(FaultClass.LINK_LOSS, 2_100, 1, 1)))
                .hasSize(1);
    }

    @Test
    void shouldNotCompareOverlappingFaults() {
        assertThat(differences(
                        run(Arm.DIRECT).fault(FaultClass.BROKER_KILL, FaultOutcome.State.CARRIED_OUT, false, 1, 1, 1),
                        run(Arm.RDMA)
                                .fault(FaultClass.BROKER_KILL, FaultOutcome.State.CARRIED_OUT, false, 9_000, 1, 1)))
                .isEmpty();
    }

    @Test
    void shouldJudgeTheAvailabilityOfASingleArm() {
        assertThat(differences(run(Arm.RDMA).without(1_000))).containsExactly("proxy, RDMA: no operation succeeded");
        assertThat(differences(run(Arm.RDMA).fault(FaultClass.BROKER_KILL, 1, 30_001, 1)))
                .singleElement()
                .asString()
                .contains("30,001 ms to recover");
    }

    @Test
    void shouldReportErrorsThatNoBrokenConnectionExplains() {
        Run direct = run(Arm.DIRECT).fault(FaultClass.LINK_LOSS, 1, 1, 1);

        assertThat(differences(direct, rdma().saw("DisconnectException", 0, 50)))
                .isEmpty();
        for (String error : List.of(
                "OffsetOutOfRangeException",
                "InvalidTxnStateException",
                "ProducerFencedException",
                "InvalidProducerEpochException",
                "UnknownTopicIdException",
                "CorruptRecordException",
                "UnknownServerException")) {
            assertThat(differences(direct, rdma().saw(error, 0, 1)))
                    .singleElement()
                    .asString()
                    .contains(error, "link-loss");
            assertThat(differences(rdma().saw(error, 0, 1))).as("a single arm").hasSize(1);
        }
    }

    private static Run rdma() {
        return run(Arm.RDMA).fault(FaultClass.LINK_LOSS, 1, 1, 1);
    }

    @Test
    void shouldExcuseAtMostAsManySessionsAtTheSameMoment() {
        String error = "CorruptRecordException";
        Run direct = faults(Arm.DIRECT).saw(error, 0, 2);

        assertThat(differences(direct, faults(Arm.RDMA).saw(error, 0, 2))).isEmpty();
        assertThat(differences(direct, faults(Arm.RDMA).saw(error, 0, 3))).hasSize(1);
        assertThat(differences(direct, faults(Arm.RDMA).saw(error, 2, 1))).hasSize(1);
        assertThat(differences(direct, faults(Arm.RDMA).saw(error, Service.QUIET, 1)))
                .hasSize(1);
    }

    @Test
    void shouldLetANamedCauseExplainOneErrorOfEachClient() {
        String error = "InvalidTxnStateException";

        assertThat(differences(faults(Arm.RDMA).saw(error, 0, 3))).isEmpty();
        assertThat(differences(faults(Arm.RDMA).saw(error, 0, 4))).hasSize(1);
        assertThat(differences(faults(Arm.RDMA).saw(error, 2, 1)))
                .as("a roll of segments ends no transaction")
                .hasSize(1);
    }

    private static Run faults(Arm arm) {
        return run(arm).fault(FaultClass.BROKER_KILL, 1, 1, 1)
                .fault(FaultClass.SEGMENT_ROLL, 1, 1, 1)
                .fault(FaultClass.SEGMENT_ROLL, 1, 1, 1);
    }

    @Test
    void shouldKnowWhatProducersSayWithoutAClassForIt() {
        String other = "KafkaException: Unhandled error in EndTxnResponse: of a new kind";

        assertThat(differences(rdma().saw(
                                "KafkaException: The client hasn't received acknowledgment for some previously sent"
                                        + " messages and ",
                                0,
                                1)
                        .saw("KafkaException: Producer is closed forcefully.", 0, 1)))
                .isEmpty();
        assertThat(differences(rdma().saw(other, 0, 1)))
                .singleElement()
                .asString()
                .contains(other);
    }

    @Test
    void shouldConfirmASlowerClientOnlyInTheSameArmAndFault() {
        Comparison.Slower inRdma = new Comparison.Slower(Arm.RDMA, 2, "orders/reader-0 waited 5,494 ms");
        Comparison.Slower again = new Comparison.Slower(Arm.RDMA, 2, "orders/reader-1 waited 6,000 ms");
        Comparison.Slower inTcp = new Comparison.Slower(Arm.TCP, 2, "orders/reader-0 waited 5,494 ms");
        Comparison.Slower later = new Comparison.Slower(Arm.RDMA, 3, "orders/reader-0 waited 5,494 ms");

        assertThat(Comparison.alsoIn(List.of(inRdma), List.of(again, inTcp, later)))
                .containsExactly(again);
        assertThat(Comparison.notIn(List.of(inRdma), List.of(again, inTcp, later)))
                .containsExactly(inTcp, later);
    }

    @Test
    void shouldTellSlowerClientsFromAllElse() {
        Map<Arm, ArmResult> results = Map.of(
                Arm.DIRECT,
                        run(Arm.DIRECT)
                                .fault(FaultClass.RETENTION, 10, 10, 2_502)
                                .result(),
                Arm.TCP,
                        run(Arm.TCP)
                                .of(ClientKind.READ_COMMITTED_READER)
                                .fault(FaultClass.RETENTION, 10, 10, 9_500)
                                .saw("CorruptRecord", 0, 1)
                                .result());

        assertThat(Comparison.certain(results)).singleElement().asString().contains("CorruptRecord");
        assertThat(Comparison.slower(results)).singleElement().satisfies(slower -> {
            assertThat(slower.arm()).isEqualTo(Arm.TCP);
            assertThat(slower.fault()).isZero();
        });
        assertThat(Comparison.differences(results)).hasSize(2);
    }
}
