package io.slipstream.broker.kafka44.landing;

import io.slipstream.broker.hook.HookPoint;
import io.slipstream.broker.landing.LandingAdvice;
import java.util.List;

/** Where landing takes part in the broker's appending, and hears of what must not happen while batches are placed in a segment. */
public final class LandingHooks {
    private static final String RECORDS = "org.apache.kafka.common.record.internal.";
    private static final String STORAGE = "org.apache.kafka.storage.internals.log.";
    private static final String LOG = STORAGE + "UnifiedLog";
    private static final String PARTITION = "kafka.cluster.Partition";
    private static final List<String> LEADERSHIP_CHANGE = List.of(
            "org.apache.kafka.metadata.PartitionRegistration",
            "boolean",
            "org.apache.kafka.storage.internals.checkpoint.OffsetCheckpoints",
            "scala.Option",
            "scala.Option");

    public static final List<HookPoint> ALL = List.of(
            new HookPoint(
                    RECORDS + "FileRecords", "append", List.of(RECORDS + "MemoryRecords"), LandingAdvice.Append.class),
            new HookPoint(RECORDS + "DefaultRecordBatch", "sizeInBytes", List.of(), LandingAdvice.BatchSize.class),
            new HookPoint(
                    RECORDS + "ByteBufferLogInputStream",
                    "nextBatchSize",
                    List.of(),
                    LandingAdvice.NextBatchSize.class),
            new HookPoint(
                    STORAGE + "LogSegment", "shouldRoll", List.of(STORAGE + "RollParams"), LandingAdvice.Roll.class),
            new HookPoint(
                    STORAGE + "LogSegment",
                    "recover",
                    List.of(
                            STORAGE + "ProducerStateManager",
                            "org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache"),
                    LandingAdvice.Recovered.class),
            new HookPoint(
                    LOG,
                    "<init>",
                    List.of(
                            "long",
                            STORAGE + "LocalLog",
                            "org.apache.kafka.storage.log.metrics.BrokerTopicStats",
                            "int",
                            "org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache",
                            STORAGE + "ProducerStateManager",
                            "java.util.Optional",
                            "boolean",
                            STORAGE + "LogOffsetsListener"),
                    LandingAdvice.Loaded.class),
            new HookPoint(
                    PARTITION,
                    "appendRecordsToLeader",
                    List.of(
                            RECORDS + "MemoryRecords",
                            STORAGE + "AppendOrigin",
                            "int",
                            "org.apache.kafka.server.common.RequestLocal",
                            STORAGE + "VerificationGuard",
                            "short"),
                    LandingAdvice.LeaderAppend.class),
            partition("makeFollower", LEADERSHIP_CHANGE),
            partition("delete", List.of()),
            partition("markOffline", List.of()),
            partition("maybeReplaceCurrentWithFutureReplica", List.of()),
            log("truncateTo", "long"),
            log("truncateFullyAndStartAt", "long", "java.util.Optional"),
            log("renameDir", "java.lang.String", "boolean"),
            log("close"),
            log("closeQuietly"),
            log("delete"),
            log("deleteOldSegments"),
            new HookPoint(LOG, "updateConfig", List.of(STORAGE + "LogConfig"), LandingAdvice.Reconfigured.class));

    private LandingHooks() {}

    private static HookPoint partition(String method, List<String> parameterTypes) {
        return new HookPoint(PARTITION, method, parameterTypes, LandingAdvice.BeforePartitionChange.class);
    }

    private static HookPoint log(String method, String... parameterTypes) {
        return new HookPoint(LOG, method, List.of(parameterTypes), LandingAdvice.BeforeLogChange.class);
    }
}
