// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import io.slipstream.broker.config.TopicSet;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.metadata.MetadataCache;

/** Finds Produce requests that name an excluded topic, by its name or its id. */
record ExcludedTopics(TopicSet topics, MetadataCache metadata) {
    boolean names(ProduceRequest request) {
        for (TopicProduceData topic : request.data().topicData()) {
            String name = topic.name();
            if (name == null || name.isEmpty()) {
                name = metadata.topicIdsToNames().get(topic.topicId());
            }
            if (name != null && topics.includes(name)) {
                return true;
            }
        }
        return false;
    }
}
