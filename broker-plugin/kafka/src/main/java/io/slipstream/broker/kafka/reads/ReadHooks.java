// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.reads;

import io.slipstream.broker.fetch.LogAdvice;
import io.slipstream.broker.hook.HookPoint;
import java.util.List;

/**
 * The hooks of the read side. Every move of the high watermark, the last stable offset or the log start offset ends in
 * {@code maybeIncrementFirstUnstableOffset}. That method runs inside the log's lock, when all three are final. One hook
 * is therefore enough for all three, and it never sees a stale last stable offset.
 */
public final class ReadHooks {
    private static final String LOG = "org.apache.kafka.storage.internals.log.UnifiedLog";
    private static final String SEGMENT = "org.apache.kafka.storage.internals.log.LogSegment";
    private static final String TRANSACTION_INDEX = "org.apache.kafka.storage.internals.log.TransactionIndex";
    private static final String PARTITION = "kafka.cluster.Partition";
    private static final String REGISTRATION = "org.apache.kafka.metadata.PartitionRegistration";
    private static final String CHECKPOINTS = "org.apache.kafka.storage.internals.checkpoint.OffsetCheckpoints";
    private static final String OPTION = "scala.Option";
    private static final List<String> LEADERSHIP_CHANGE = List.of(REGISTRATION, "boolean", CHECKPOINTS, OPTION, OPTION);

    private ReadHooks() {}

    /**
     * @param abortedTransaction name of the class of entries in a transaction index
     * @param closeMethod name of the method that closes a log's files and does not flush them
     */
    public static List<HookPoint> of(String abortedTransaction, String closeMethod) {
        return List.of(
                new HookPoint(LOG, "maybeIncrementFirstUnstableOffset", List.of(), LogAdvice.Changed.class),
                new HookPoint(
                        TRANSACTION_INDEX,
                        "append",
                        List.of(abortedTransaction),
                        LogAdvice.AbortedTransactionIndexed.class),
                new HookPoint(
                        LOG,
                        "updateConfig",
                        List.of("org.apache.kafka.storage.internals.log.LogConfig"),
                        LogAdvice.Reconfigured.class),
                revoked("truncateTo", "long"),
                revoked("truncateFullyAndStartAt", "long", "java.util.Optional"),
                revoked("renameDir", "java.lang.String", "boolean"),
                revoked("replaceSegments", "java.util.List", "java.util.List"),
                revoked("splitOverflowedSegment", SEGMENT),
                revoked("close"),
                revoked(closeMethod),
                revoked("delete"),
                new HookPoint(
                        SEGMENT,
                        "changeFileSuffixes",
                        List.of("java.lang.String", "java.lang.String"),
                        LogAdvice.SegmentRemoved.class),
                new HookPoint(PARTITION, "makeLeader", LEADERSHIP_CHANGE, MakeLeaderAdvice.class),
                new HookPoint(PARTITION, "makeFollower", LEADERSHIP_CHANGE, LogAdvice.LeadershipLost.class),
                new HookPoint(PARTITION, "delete", List.of(), LogAdvice.LeadershipLost.class),
                new HookPoint(PARTITION, "markOffline", List.of(), LogAdvice.LeadershipLost.class),
                new HookPoint(
                        PARTITION, "maybeReplaceCurrentWithFutureReplica", List.of(), LogAdvice.Reconfigured.class));
    }

    private static HookPoint revoked(String method, String... parameterTypes) {
        return new HookPoint(LOG, method, List.of(parameterTypes), LogAdvice.Revoked.class);
    }
}
