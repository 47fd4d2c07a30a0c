// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.checker.FaultWindow;
import io.slipstream.checker.Report;
import io.slipstream.faults.schedule.FaultClass;
import io.slipstream.history.RunKind;
import io.slipstream.process.PathCounts;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    private static ArmResult result(Arm arm, Map<String, Long> anomalies, Set<String> errors, Fault... faults) {
        Report report = new Report(
                RunKind.SYNTHETIC,
                arm.name(),
                1,
                anomalies,
                Map.of(),
                List.of(),
                Map.of(),
                1,
                1,
                1,
                1,
                Stream.of(faults).map(Fault::window).toList(),
                errors);
        List<FaultOutcome> outcomes = Stream.of(faults).map(Fault::outcome).toList();
        return new ArmResult(arm, null, 1, PathCounts.NONE, 0, outcomes, report, List.of(), List.of(), List.of());
    }

    private static ArmResult result(Arm arm, Map<String, Long> anomalies, Fault... faults) {
        return result(arm, anomalies, Set.of(), faults);
    }

    private record Fault(long okOperations, boolean single) {
        FaultWindow window() {
            return new FaultWindow(0, "proxy-pause", "proxy-1", 1, okOperations, 1);
        }

        FaultOutcome outcome() {
            return new FaultOutcome(
                    0, FaultClass.PROXY_PAUSE, "proxy-1", FaultOutcome.State.CARRIED_OUT, "", single, okOperations, 1);
        }
    }

    private static List<String> differences(ArmResult... results) {
        Map<Arm, ArmResult> byArm = new EnumMap<>(Arm.class);
        for (ArmResult result : results) {
            byArm.put(result.arm(), result);
        }
        return Comparison.differences(byArm);
    }

    @Test
    void shouldReportAnAnomalyThatTheDirectArmDoesNotShow() {
        assertThat(differences(
                        result(Arm.DIRECT, Map.of("I14 G0", 1L)),
                        result(Arm.RDMA, Map.of("I14 G0", 3L, "I1 lost-write", 2L))))
                .singleElement()
                .asString()
                .contains("proxy, RDMA", "I1 lost-write, 2 times");
    }

    @Test
    void shouldReportEveryAnomalyWithoutADirectArm() {
        assertThat(differences(result(Arm.TCP, Map.of("I14 G0", 1L)))).hasSize(1);
        assertThat(differences(result(Arm.DIRECT, Map.of("I14 G0", 1L)))).hasSize(1);
    }

    @Test
    void shouldForgiveOnlyWhatASkippedMarkerExplains() {
        ArmResult torn = result(Arm.TCP, Map.of("I13 torn-txn", 1L, "I1 lost-write", 1L));
        ArmResult confessed = new ArmResult(
                torn.arm(),
                null,
                1,
                PathCounts.NONE,
                2,
                torn.outcomes(),
                torn.report(),
                List.of(),
                List.of(),
                List.of());

        assertThat(differences(result(Arm.DIRECT, Map.of()), torn)).hasSize(2);
        assertThat(differences(result(Arm.DIRECT, Map.of()), confessed))
                .singleElement()
                .asString()
                .contains("I1 lost-write");
    }

    @Test
    void shouldNotBlameArmsForWhatTheDirectArmAloneShows() {
        assertThat(differences(result(Arm.DIRECT, Map.of("I1 lost-write", 1L)), result(Arm.RDMA, Map.of())))
                .isEmpty();
    }

    @Test
    void shouldReportASingleFaultThatStarvesClientsUnlessItDoesSoInTheDirectArm() {
        ArmResult servedDirect = result(Arm.DIRECT, Map.of(), new Fault(100, true));
        ArmResult starvedDirect = result(Arm.DIRECT, Map.of(), new Fault(99, true));
        ArmResult served = result(Arm.RDMA, Map.of(), new Fault(100, true));
        ArmResult starved = result(Arm.RDMA, Map.of(), new Fault(99, true));

        assertThat(differences(servedDirect, starved))
                .singleElement()
                .asString()
                .contains("99 operations", "proxy-pause of proxy-1");
        assertThat(differences(starvedDirect, starved)).isEmpty();
        assertThat(differences(servedDirect, served)).isEmpty();
    }

    @Test
    void shouldNotCountOperationsDuringOverlappingFaults() {
        assertThat(differences(
                        result(Arm.DIRECT, Map.of(), new Fault(500, false)),
                        result(Arm.RDMA, Map.of(), new Fault(3, false))))
                .isEmpty();
    }

    @Test
    void shouldReportErrorsThatNoBrokenConnectionExplains() {
        ArmResult direct = result(Arm.DIRECT, Map.of());

        assertThat(differences(direct, result(Arm.RDMA, Map.of(), Set.of("DisconnectException"))))
                .isEmpty();
        assertThat(differences(direct, result(Arm.RDMA, Map.of(), Set.of("CorruptRecordException"))))
                .singleElement()
                .asString()
                .contains("CorruptRecordException");
    }

    @Test
    void shouldKnowWhatProducersSayWithoutAClassForIt() {
        ArmResult direct = result(Arm.DIRECT, Map.of());
        Set<String> ownWords = Set.of(
                "KafkaException: The client hasn't received acknowledgment for some previously sent messages and ",
                "KafkaException: Producer is closed forcefully.");
        String other = "KafkaException: Unhandled error in EndTxnResponse: of a new kind";

        assertThat(differences(direct, result(Arm.RDMA, Map.of(), ownWords))).isEmpty();
        assertThat(differences(direct, result(Arm.RDMA, Map.of(), Set.of(other))))
                .containsExactly(Arm.RDMA + ": clients saw " + other);
        assertThat(differences(result(Arm.DIRECT, Map.of(), Set.of(other)), result(Arm.RDMA, Map.of(), Set.of(other))))
                .isEmpty();
    }
}
