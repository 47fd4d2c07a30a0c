// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.raw;

import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;

/**
 * Builds Fetch requests, by topic name up to version 12 and by topic id from 13. Defaults: no session, min bytes 1, max
 * wait 0, 50 MiB in total, read_uncommitted.
 */
public final class FetchRequests {
    public static final short FIRST_VERSION_BY_ID = 13;
    public static final short OLDEST = FetchRequestData.LOWEST_SUPPORTED_VERSION;
    public static final short NEWEST = FetchRequestData.HIGHEST_SUPPORTED_VERSION;
    public static final int PARTITION_MAX_BYTES = 1 << 20;

    private final short version;
    private final FetchRequestData data;

    private FetchRequests(short version) {
        this.version = version;
        data = new FetchRequestData().setMinBytes(1).setMaxWaitMs(0).setMaxBytes(50 << 20);
        if (version >= 7) {
            session(0, -1);
        }
    }

    public static FetchRequests version(int version) {
        return new FetchRequests((short) version);
    }

    public FetchRequests minBytes(int minBytes, int maxWaitMs) {
        data.setMinBytes(minBytes).setMaxWaitMs(maxWaitMs);
        return this;
    }

    public FetchRequests maxBytes(int maxBytes) {
        data.setMaxBytes(maxBytes);
        return this;
    }

    public FetchRequests readCommitted() {
        data.setIsolationLevel((byte) 1);
        return this;
    }

    /** Fetch session (KIP-227): (0, 0) creates one, (id, n) continues it, (0, -1) uses none. */
    public FetchRequests session(int sessionId, int sessionEpoch) {
        data.setSessionId(sessionId).setSessionEpoch(sessionEpoch);
        return this;
    }

    public FetchRequests add(TopicRef topic, int partition, long offset) {
        return add(topic, partition, offset, PARTITION_MAX_BYTES, -1, -1);
    }

    public FetchRequests add(TopicRef topic, int partition, long offset, int partitionMaxBytes) {
        return add(topic, partition, offset, partitionMaxBytes, -1, -1);
    }

    /** Epochs are -1 if the client sends none. They exist from version 9 (current) and 12 (last fetched). */
    public FetchRequests add(
            TopicRef topic,
            int partition,
            long offset,
            int partitionMaxBytes,
            int currentLeaderEpoch,
            int lastFetchedEpoch) {
        topicOf(topic)
                .partitions()
                .add(new FetchPartition()
                        .setPartition(partition)
                        .setFetchOffset(offset)
                        .setPartitionMaxBytes(partitionMaxBytes)
                        .setCurrentLeaderEpoch(currentLeaderEpoch)
                        .setLastFetchedEpoch(lastFetchedEpoch)
                        .setLogStartOffset(-1));
        return this;
    }

    private FetchTopic topicOf(TopicRef topic) {
        boolean byId = version >= FIRST_VERSION_BY_ID;
        for (FetchTopic present : data.topics()) {
            if (byId ? present.topicId().equals(topic.id()) : present.topic().equals(topic.name())) {
                return present;
            }
        }
        FetchTopic added = byId ? new FetchTopic().setTopicId(topic.id()) : new FetchTopic().setTopic(topic.name());
        data.topics().add(added);
        return added;
    }

    /** Gives access to fields without a builder method. */
    public FetchRequestData data() {
        return data;
    }

    public RequestFrame frame() {
        return RequestFrame.of(version, data);
    }

    public RequestFrame frame(String clientId) {
        return RequestFrame.of(version, data, clientId);
    }
}
