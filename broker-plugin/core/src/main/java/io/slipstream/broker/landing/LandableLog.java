package io.slipstream.broker.landing;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.kafka.common.Uuid;

/** One partition's log, as far as batches are placed in its active segment; implemented by the adapter of each Kafka line. */
public interface LandableLog {
    Uuid topicId();

    String topic();

    int partition();

    /** The broker's log object: what the hooks name. Compared by identity. */
    Object identity();

    /** The broker's partition object: what the hooks name. Compared by identity. */
    Object partitionIdentity();

    /** The lock that the broker itself holds whenever it appends to this log, rolls or cuts it. */
    Object monitor();

    /** Why no batch may be placed in this log as it is now (not the leader, recompressing, preallocated, tiered, ...); null if it may. */
    String refusal();

    /** The segment that is appended to; the caller holds {@link #monitor()}. */
    ActiveSegment activeSegment();

    /** Whether its broker takes appends of clients; any thread. */
    boolean isLeader();

    /** Has the log continue in a new segment, in a file of its own; the caller holds {@link #monitor()}. */
    void roll() throws IOException;

    /** The file of an active segment. The caller holds {@link LandableLog#monitor()} where nothing else is said. */
    interface ActiveSegment {
        /** The broker's object of the file: what the hooks name. Compared by identity. */
        Object identity();

        Path path();

        /** Bytes of the log in it; any thread that does not mind a stale answer. */
        int sizeBytes();

        /** Position up to which {@code windowBytes} more can be appended without the broker having to roll for want of room in file or indexes. */
        int limitBytes(int windowBytes);

        /** The batch behind the log's end is the log's now. */
        void commit(int lengthBytes);

        /** Has the broker's next write go behind the log's bytes. */
        void writeBehindLog() throws IOException;

        /** Cuts the file to the log's bytes, and has the broker continue to write behind them. */
        void trim() throws IOException;
    }
}
