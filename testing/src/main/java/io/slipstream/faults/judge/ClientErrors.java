// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import io.slipstream.faults.schedule.FaultClass;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Judges errors of clients. Those of a broken connection need no reason. All others need a named cause at their moment,
 * or as many sessions of the control that saw them at that moment.
 */
public final class ClientErrors {
    /** Errors of stock clients when processes die and connections end. Each occurs only sometimes. */
    private static final Set<String> OF_BROKEN_CONNECTIONS = Set.of(
            "TimeoutException",
            "NetworkException",
            "DisconnectException",
            "NotLeaderOrFollowerException",
            "NotEnoughReplicasException",
            "NotEnoughReplicasAfterAppendException",
            "UnknownTopicOrPartitionException",
            "LeaderNotAvailableException",
            "CoordinatorNotAvailableException",
            "CoordinatorLoadInProgressException",
            "NotCoordinatorException",
            "RebalanceInProgressException",
            "CommitFailedException",
            "RetriableCommitFailedException",
            "UnknownMemberIdException",
            "IllegalGenerationException",
            "BrokerNotAvailableException",
            "ConcurrentTransactionsException",
            "TransactionAbortedException");

    /**
     * Unclassified errors of stock producers when an outage exceeds their timeouts: expired batches with an unknown
     * outcome, and records unsent when the client was closed. Matched by prefix because names are truncated.
     */
    private static final List<String> PRODUCERS_OWN = List.of(
            "KafkaException: The client hasn't received acknowledgment for some previously",
            "KafkaException: Producer is closed forcefully",
            "KafkaException: The producer closed forcefully",
            "KafkaException: Producer closed while send in progress");

    /** Faults in which a transaction may time out or its end may be asked for twice. */
    private static final Set<FaultClass> OUTAGES = EnumSet.of(
            FaultClass.PROXY_KILL,
            FaultClass.BROKER_KILL,
            FaultClass.PROXY_PAUSE,
            FaultClass.BROKER_PAUSE,
            FaultClass.CLIENT_CUT,
            FaultClass.UPSTREAM_CUT,
            FaultClass.LEADER_ELECTION,
            FaultClass.REASSIGNMENT,
            FaultClass.ISR_SHRINK,
            FaultClass.DISK_FULL,
            FaultClass.DESCRIPTOR_LIMIT,
            FaultClass.CLOCK_JUMP,
            FaultClass.BROKER_RESTART);

    private static final Set<FaultClass> DELETIONS =
            EnumSet.of(FaultClass.RETENTION, FaultClass.DELETE_RECORDS, FaultClass.TOPIC_RECREATE);

    private static final Map<String, Set<FaultClass>> CAUSES = Map.of(
            "OffsetOutOfRangeException", DELETIONS,
            "UnknownTopicIdException", EnumSet.of(FaultClass.TOPIC_RECREATE),
            "KafkaStorageException", EnumSet.of(FaultClass.DISK_FULL, FaultClass.DESCRIPTOR_LIMIT),
            "InvalidProducerEpochException", OUTAGES,
            "ProducerFencedException", OUTAGES,
            "InvalidTxnStateException", OUTAGES);

    /** Faults overlap, and an error may come when the next fault has begun. */
    private static final int NEIGHBOURS = 1;

    private ClientErrors() {}

    public static boolean isOfBrokenConnection(String error) {
        return OF_BROKEN_CONNECTIONS.contains(error) || PRODUCERS_OWN.stream().anyMatch(error::startsWith);
    }

    /**
     * Returns a line for each error that too many sessions saw at one moment. Each idempotent or transactional client
     * may see an error once for a named cause.
     *
     * @param control null without one
     */
    public static List<String> unexplained(Service judged, Service control) {
        List<String> unexplained = new ArrayList<>();
        judged.errors().forEach((seen, sessions) -> {
            if (!isOfBrokenConnection(seen.error())) {
                long directly = control == null ? 0 : near(control, seen);
                long caused = isCaused(judged, seen) ? Math.max(1, judged.fencible()) : 0;
                if (sessions > directly + caused) {
                    unexplained.add(sessions + " sessions of clients saw " + seen.error() + " " + moment(judged, seen)
                            + "; directly " + directly + ", by this fault at most " + caused);
                }
            }
        });
        return unexplained;
    }

    private static boolean isNear(int fault, Service.Seen seen) {
        return fault == Service.QUIET || seen.fault() == Service.QUIET
                ? fault == seen.fault()
                : Math.abs(fault - seen.fault()) <= NEIGHBOURS;
    }

    private static long near(Service control, Service.Seen seen) {
        return control.errors().entrySet().stream()
                .filter(entry -> entry.getKey().error().equals(seen.error())
                        && isNear(entry.getKey().fault(), seen))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private static boolean isCaused(Service judged, Service.Seen seen) {
        Set<FaultClass> causes = CAUSES.getOrDefault(seen.error(), Set.of());
        return judged.windows().stream()
                .anyMatch(window -> window.fault() <= seen.fault()
                        && isNear(window.fault(), seen)
                        && causes.contains(FaultClass.of(window.faultClass())));
    }

    private static String moment(Service judged, Service.Seen seen) {
        return judged.windows().stream()
                .filter(window -> window.fault() == seen.fault())
                .map(window -> "in " + window.name())
                .findFirst()
                .orElse("while nothing happened");
    }
}
