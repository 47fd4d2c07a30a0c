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
    private static final String LOG_CONFIG = "org.apache.kafka.storage.internals.log.LogConfig";
    private static final String SEGMENT = "org.apache.kafka.storage.internals.log.LogSegment";
    private static final String TRANSACTION_INDEX = "org.apache.kafka.storage.internals.log.TransactionIndex";
    private static final String PARTITION = "kafka.cluster.Partition";
    private static final String REGISTRATION = "org.apache.kafka.metadata.PartitionRegistration";
    private static final String CHECKPOINTS = "org.apache.kafka.storage.internals.checkpoint.OffsetCheckpoints";
    private static final String STRING = "java.lang.String";
    private static final String OPTION = "scala.Option";
    private static final String[] LEADERSHIP_CHANGE = {REGISTRATION, "boolean", CHECKPOINTS, OPTION, OPTION};

    private ReadHooks() {}

    /**
     * @param abortedTransaction name of the class of entries in a transaction index
     * @param closeMethod name of the method that closes a log's files and does not flush them
     */
    public static List<HookPoint> of(String abortedTransaction, String closeMethod) {
        return List.of(
                new HookPoint(LogAdvice.Changed.class, LOG, "maybeIncrementFirstUnstableOffset"),
                new HookPoint(
                        LogAdvice.AbortedTransactionIndexed.class, TRANSACTION_INDEX, "append", abortedTransaction),
                new HookPoint(LogAdvice.Reconfigured.class, LOG, "updateConfig", LOG_CONFIG),
                revoked("truncateTo", "long"),
                revoked("truncateFullyAndStartAt", "long", "java.util.Optional"),
                revoked("renameDir", STRING, "boolean"),
                revoked("replaceSegments", "java.util.List", "java.util.List"),
                revoked("splitOverflowedSegment", SEGMENT),
                revoked("close"),
                revoked(closeMethod),
                revoked("delete"),
                new HookPoint(LogAdvice.SegmentRemoved.class, SEGMENT, "changeFileSuffixes", STRING, STRING),
                new HookPoint(MakeLeaderAdvice.class, PARTITION, "makeLeader", LEADERSHIP_CHANGE),
                new HookPoint(LogAdvice.LeadershipLost.class, PARTITION, "makeFollower", LEADERSHIP_CHANGE),
                new HookPoint(LogAdvice.LeadershipLost.class, PARTITION, "delete"),
                new HookPoint(LogAdvice.LeadershipLost.class, PARTITION, "markOffline"),
                new HookPoint(LogAdvice.Reconfigured.class, PARTITION, "maybeReplaceCurrentWithFutureReplica"));
    }

    private static HookPoint revoked(String method, String... parameterTypes) {
        return new HookPoint(LogAdvice.Revoked.class, LOG, method, parameterTypes);
    }
}
