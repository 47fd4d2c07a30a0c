// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.checker.FaultWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares the results of a seed through proxies with those directly at the brokers. Pure. */
final class Comparison {
    /** Operations that a fault and its recovery must have for the clients to count as served. */
    static final long LEAST_OPERATIONS = 100;

    /** Errors of clients of stock Kafka when processes die and connections end. Each occurs only sometimes. */
    private static final Set<String> ORDINARY_ERRORS = Set.of(
            "TimeoutException",
            "NetworkException",
            "DisconnectException",
            "NotLeaderOrFollowerException",
            "NotEnoughReplicasException",
            "NotEnoughReplicasAfterAppendException",
            "UnknownTopicOrPartitionException",
            "UnknownTopicIdException",
            "LeaderNotAvailableException",
            "KafkaStorageException",
            "CoordinatorNotAvailableException",
            "CoordinatorLoadInProgressException",
            "NotCoordinatorException",
            "RebalanceInProgressException",
            "CommitFailedException",
            "RetriableCommitFailedException",
            "UnknownMemberIdException",
            "IllegalGenerationException",
            "OffsetOutOfRangeException",
            "BrokerNotAvailableException",
            "InvalidProducerEpochException",
            "ProducerFencedException",
            "ConcurrentTransactionsException",
            "TransactionAbortedException",
            "InvalidTxnStateException");

    /**
     * Unclassified errors of stock producers when an outage exceeds their timeouts: expired batches with an unknown
     * outcome, and records unsent when the client was closed. Matched by prefix because names are truncated.
     */
    private static final List<String> PRODUCERS_OWN = List.of(
            "KafkaException: The client hasn't received acknowledgment for some previously",
            "KafkaException: Producer is closed forcefully",
            "KafkaException: The producer closed forcefully",
            "KafkaException: Producer closed while send in progress");

    private Comparison() {}

    /**
     * Returns the reasons for which the run fails: claimed invariants without facts, in any arm; kinds of anomalies
     * that the direct arm does not show and no {@link SkippedMarkers skipped marker} explains; classes of errors that
     * neither the direct arm nor a broken connection explains; single faults with fewer than {@link #LEAST_OPERATIONS}
     * operations although the direct arm had enough. Without a direct arm, every anomaly counts.
     */
    static List<String> differences(Map<Arm, ArmResult> results) {
        List<String> differences = new ArrayList<>();
        ArmResult direct = results.get(Arm.DIRECT);
        results.forEach((arm, result) -> {
            result.report().unproven().forEach(invariant -> differences.add(arm + ": " + invariant + " has no facts"));
            if (arm != Arm.DIRECT && direct != null) {
                anomalies(direct.report().counts().keySet(), result, differences);
                errors(direct, result, differences);
                availability(direct, result, differences);
            } else if (direct == null || results.size() == 1) {
                anomalies(Set.of(), result, differences);
            }
        });
        return differences;
    }

    private static void anomalies(Set<String> forgiven, ArmResult result, List<String> differences) {
        result.report().counts().forEach((kind, count) -> {
            boolean confessed = result.skippedMarkers() > 0 && SkippedMarkers.explain(kind);
            if (!forgiven.contains(kind) && !confessed) {
                differences.add(result.arm() + ": " + kind + ", " + count + " times");
            }
        });
    }

    private static void errors(ArmResult direct, ArmResult result, List<String> differences) {
        for (String error : result.report().clientErrors()) {
            if (!isOrdinary(error) && !direct.report().clientErrors().contains(error)) {
                differences.add(result.arm() + ": clients saw " + error);
            }
        }
    }

    static boolean isOrdinary(String error) {
        return ORDINARY_ERRORS.contains(error) || PRODUCERS_OWN.stream().anyMatch(error::startsWith);
    }

    /** Excludes overlapping faults, because each reduces the operations of the other. */
    private static void availability(ArmResult direct, ArmResult result, List<String> differences) {
        for (FaultWindow window : result.report().faultWindows()) {
            boolean served = window.okOperations() >= LEAST_OPERATIONS;
            if (!served && result.isSingle(window.fault()) && isServed(direct, window.fault())) {
                differences.add(result.arm() + ": only " + window.okOperations() + " operations succeeded during fault "
                        + window.fault() + ", " + window.faultClass() + " of " + window.target());
            }
        }
    }

    private static boolean isServed(ArmResult direct, int fault) {
        return direct.report().faultWindows().stream()
                .anyMatch(window -> window.fault() == fault && window.okOperations() >= LEAST_OPERATIONS);
    }
}
