// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.util.KafkaScheduler;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

/** A broker's own log without its partition. One thread appends. */
final class BenchedLog {
    private static final int EPOCH = 1;
    private static final int HOUR_MS = 3_600_000;

    private final KafkaScheduler scheduler = new KafkaScheduler(1);
    private final UnifiedLog log;

    /** @param directory empty directory, in which the log's directory is created */
    BenchedLog(Path directory) throws IOException {
        scheduler.startup();
        log = UnifiedLog.create(
                directory.resolve("benched-0").toFile(),
                new LogConfig(Map.of()),
                0,
                0,
                scheduler,
                new BrokerTopicStats(),
                Time.SYSTEM,
                HOUR_MS,
                new ProducerStateManagerConfig(HOUR_MS, false),
                HOUR_MS,
                new LogDirFailureChannel(1),
                true,
                Optional.of(new Uuid(1, 2)));
    }

    /**
     * Appends one batch of a client as the leader does.
     *
     * @param batch direct, big-endian, with base offset 0
     */
    void append(ByteBuffer batch) throws IOException {
        log.appendAsLeader(MemoryRecords.readableRecords(batch), EPOCH);
    }

    /** Returns the bytes in the active segment. */
    int sizeBytes() {
        return log.activeSegment().size();
    }

    /** Replaces the segment with an empty one. */
    void empty() {
        log.truncateFullyAndStartAt(0, Optional.empty());
    }

    void close() throws InterruptedException {
        log.close();
        scheduler.shutdown();
    }
}
