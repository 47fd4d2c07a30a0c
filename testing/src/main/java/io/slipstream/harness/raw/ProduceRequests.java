// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.raw;

import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Builds Produce requests, by topic name up to version 12 and by topic id from 13. */
public final class ProduceRequests {
    public static final short FIRST_VERSION_BY_ID = 13;
    public static final short OLDEST = ProduceRequestData.LOWEST_SUPPORTED_VERSION;
    public static final short NEWEST = ProduceRequestData.HIGHEST_SUPPORTED_VERSION;

    private final short version;
    private final ProduceRequestData data;

    private ProduceRequests(short version, short acks) {
        this.version = version;
        data = new ProduceRequestData().setAcks(acks).setTimeoutMs(10_000);
    }

    public static ProduceRequests version(int version, int acks) {
        return new ProduceRequests((short) version, (short) acks);
    }

    /** Sets the replication timeout for acks=all; the default is 10 s. */
    public ProduceRequests timeoutMs(int timeoutMs) {
        data.setTimeoutMs(timeoutMs);
        return this;
    }

    public ProduceRequests transactionalId(String transactionalId) {
        data.setTransactionalId(transactionalId);
        return this;
    }

    public ProduceRequests add(TopicRef topic, int partition, MemoryRecords records) {
        boolean byId = version >= FIRST_VERSION_BY_ID;
        TopicProduceData topicData =
                byId ? new TopicProduceData().setTopicId(topic.id()) : new TopicProduceData().setName(topic.name());
        TopicProduceData present = data.topicData().find(topicData.name(), topicData.topicId());
        if (present == null) {
            data.topicData().add(topicData);
            present = topicData;
        }
        present.partitionData()
                .add(new PartitionProduceData().setIndex(partition).setRecords(records));
        return this;
    }

    public ProduceRequestData data() {
        return data;
    }

    public RequestFrame frame() {
        return RequestFrame.of(version, data);
    }
}
