package io.slipstream.broker.kafka44.landing;

import io.slipstream.broker.landing.LandableLog;
import java.io.IOException;
import java.nio.file.Path;
import kafka.cluster.Partition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.server.record.BrokerCompressionType;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import scala.Option;

/** A partition's log and its active segment. */
final class KafkaLandableLog implements LandableLog {
    /** An index entry for each batch at most, and some for what a roll adds. */
    private static final int SPARE_ENTRIES = 16;
    /** The smallest record takes more. */
    private static final int SMALLEST_RECORD_BYTES = 6;

    private final Partition partition;
    private final UnifiedLog log;
    private final AppendFields fields;
    private final Object lock;
    private final Uuid topicId;

    KafkaLandableLog(Partition partition, UnifiedLog log, AppendFields fields, Uuid topicId) {
        this.partition = partition;
        this.log = log;
        this.fields = fields;
        this.lock = fields.lock(log);
        this.topicId = topicId;
    }

    @Override
    public Uuid topicId() {
        return topicId;
    }

    @Override
    public String topic() {
        return partition.topic();
    }

    @Override
    public int partition() {
        return partition.partitionId();
    }

    @Override
    public Object identity() {
        return log;
    }

    @Override
    public Object partitionIdentity() {
        return partition;
    }

    @Override
    public Object monitor() {
        return lock;
    }

    @Override
    public String refusal() {
        LogConfig config = log.config();
        Option<UnifiedLog> now = partition.log();
        if (!partition.isLeader() || now.isEmpty() || now.get() != log) {
            return "not the leader";
        } else if (config.compressionType != BrokerCompressionType.PRODUCER) {
            return "the topic's compression.type is not producer: the broker writes other bytes than it is sent";
        } else if (config.preallocate) {
            return "the topic's files are preallocated";
        } else if (log.remoteLogEnabled()) {
            return "the topic is tiered";
        }
        return null;
    }

    @Override
    public ActiveSegment activeSegment() {
        return new Active(log.activeSegment());
    }

    @Override
    public boolean isLeader() {
        return partition.isLeader();
    }

    @Override
    public void roll() throws IOException {
        log.roll();
    }

    private final class Active implements ActiveSegment {
        private final LogSegment segment;
        private final FileRecords file;

        Active(LogSegment segment) {
            this.segment = segment;
            this.file = segment.log();
        }

        @Override
        public Object identity() {
            return file;
        }

        @Override
        public Path path() {
            return file.file().toPath();
        }

        @Override
        public int sizeBytes() {
            return file.sizeInBytes();
        }

        @Override
        public int limitBytes(int windowBytes) {
            int size = file.sizeInBytes();
            try {
                int entries = windowBytes / Math.max(1, log.config().indexInterval) + SPARE_ENTRIES;
                boolean hasRoom = segment.offsetIndex().maxEntries()
                                        - segment.offsetIndex().entries()
                                > entries
                        && segment.timeIndex().maxEntries()
                                        - segment.timeIndex().entries()
                                > entries;
                long records = log.logEndOffset() - segment.baseOffset() + windowBytes / SMALLEST_RECORD_BYTES;
                return hasRoom && records < Integer.MAX_VALUE
                        ? Math.max(size, log.config().segmentSize())
                        : size;
            } catch (IOException e) {
                return size;
            }
        }

        @Override
        public void commit(int lengthBytes) {
            fields.size(file).getAndAdd(lengthBytes);
        }

        @Override
        public void writeBehindLog() throws IOException {
            file.channel().position(file.sizeInBytes());
        }

        @Override
        public void trim() throws IOException {
            if (file.channel().isOpen()) {
                file.trim();
                writeBehindLog();
            }
        }
    }
}
