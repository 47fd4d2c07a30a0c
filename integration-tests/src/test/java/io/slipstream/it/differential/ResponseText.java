// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.harness.raw.RawResponse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Responses as text: every field as the generated classes print it, record batches as {@link BatchText}. */
final class ResponseText {
    /** In the error of a refused timestamp: relative to the broker's clock. */
    private static final Pattern BROKERS_TIME = Pattern.compile("within \\[-?\\d+, -?\\d+\\]");

    private ResponseText() {}

    /** @param normalize removes legal differences between arms */
    static String of(RawResponse response, UnaryOperator<String> normalize) {
        if (response.body() instanceof FetchResponseData fetch) {
            return ofFetch(fetch);
        }
        if (response.body() instanceof ProduceResponseData produce) {
            return ofProduce(produce, normalize);
        }
        if (response.body() instanceof ListOffsetsResponseData offsets) {
            offsets.topics()
                    .forEach(topic -> topic.partitions()
                            .sort(Comparator.comparingInt(ListOffsetsPartitionResponse::partitionIndex)));
            return sorted(offsets.topics(), normalize) + offsets.throttleTimeMs();
        }
        if (response.body() instanceof AddPartitionsToTxnResponseData added) {
            return sorted(added.resultsByTopicV3AndBelow(), normalize) + added.throttleTimeMs();
        }
        if (response.body() instanceof JoinGroupResponseData joined) {
            String members = sorted(joined.members(), normalize);
            return joined.setMembers(List.of()) + members;
        }
        return response.body().toString();
    }

    /** The broker keeps topics of some responses in a hash map, so their order is insignificant. */
    private static String sorted(Collection<?> topics, UnaryOperator<String> normalize) {
        return topics.stream()
                .map(topic -> normalize.apply(topic.toString()))
                .sorted()
                .collect(Collectors.joining("\n    ", "", "\n    throttleTimeMs="));
    }

    /** The broker keeps partitions of a Produce response in a hash map, so their order is insignificant. */
    private static String ofProduce(ProduceResponseData produce, UnaryOperator<String> normalize) {
        List<String> topics = new ArrayList<>();
        for (TopicProduceResponse topic : produce.responses()) {
            topic.partitionResponses().sort(Comparator.comparingInt(PartitionProduceResponse::index));
            for (PartitionProduceResponse partition : topic.partitionResponses()) {
                if (partition.logAppendTimeMs() > 0) {
                    partition.setLogAppendTimeMs(1); // the broker's clock
                }
            }
            topics.add(BROKERS_TIME.matcher(normalize.apply(topic.toString())).replaceAll("within [a range]"));
        }
        Collections.sort(topics);
        return String.join("\n    ", topics) + "\n    throttleTimeMs=" + produce.throttleTimeMs() + ' '
                + produce.nodeEndpoints();
    }

    private static String ofFetch(FetchResponseData fetch) {
        StringBuilder text = new StringBuilder();
        for (FetchableTopicResponse topic : fetch.responses()) {
            for (PartitionData partition : topic.partitions()) {
                text.append("\n    ")
                        .append(topic.topic())
                        .append(topic.topicId())
                        .append('-')
                        .append(partition.partitionIndex())
                        .append(' ')
                        .append(BatchText.of((MemoryRecords) partition.records()));
                partition.setRecords(MemoryRecords.EMPTY);
            }
        }
        return fetch + text.toString();
    }
}
