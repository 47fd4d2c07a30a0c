package io.slipstream.broker.kafka43;

import io.slipstream.broker.landing.Landing;
import io.slipstream.broker.landing.LandingTable;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.requests.ProduceRequest;

/** Finds, before a request that came by the ring is handled, who places batches in a partition that it writes to. */
final class LandingConflicts {
    private LandingConflicts() {}

    /** Null if nobody does. */
    static Landing find(LandingTable landings, ProduceRequest request) {
        for (TopicProduceData topic : request.data().topicData()) {
            for (PartitionProduceData partition : topic.partitionData()) {
                Landing landing = landings.find(topic.name(), topic.topicId(), partition.index());
                if (landing != null) {
                    return landing;
                }
            }
        }
        return null;
    }
}
