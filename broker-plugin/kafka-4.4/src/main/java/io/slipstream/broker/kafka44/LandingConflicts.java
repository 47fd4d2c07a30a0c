package io.slipstream.broker.kafka44;

import io.slipstream.broker.landing.RingAppend;
import io.slipstream.broker.landing.SegmentLandings;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.requests.ProduceRequest;

/** Finds, before a request that came by the ring is handled, what it has to wait for because batches are placed in a partition that it writes to. */
final class LandingConflicts {
    private LandingConflicts() {}

    /** Null if there is nothing. */
    static CompletableFuture<Void> find(SegmentLandings landings, RingAppend frame, ProduceRequest request) {
        List<TopicProduceData> topics = List.copyOf(request.data().topicData());
        boolean isOnly = request.transactionalId() == null
                && topics.size() == 1
                && topics.get(0).partitionData().size() == 1;
        for (TopicProduceData topic : topics) {
            for (PartitionProduceData partition : topic.partitionData()) {
                CompletableFuture<Void> obstacle = landings.obstacle(
                        frame, topic.name(), topic.topicId(), partition.index(), partition.records(), isOnly);
                if (obstacle != null) {
                    return obstacle;
                }
            }
        }
        return null;
    }
}
