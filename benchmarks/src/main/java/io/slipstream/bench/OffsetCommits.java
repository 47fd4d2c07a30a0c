// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.protocol.Errors;

/** Commits of the offset of a topic's partition 0, by a group without members. */
final class OffsetCommits {
    private static final short VERSION = 9;
    private static final short FIND_VERSION = 3;

    private OffsetCommits() {}

    static RequestFrame frame(TopicRef topic) {
        return RequestFrame.of(VERSION, request(topic));
    }

    private static String group(TopicRef topic) {
        return "group-of-" + topic.name();
    }

    private static OffsetCommitRequestData request(TopicRef topic) {
        return new OffsetCommitRequestData()
                .setGroupId(group(topic))
                .setTopics(List.of(new OffsetCommitRequestTopic()
                        .setName(topic.name())
                        .setPartitions(List.of(new OffsetCommitRequestPartition()
                                .setPartitionIndex(0)
                                .setCommittedOffset(1)))));
    }

    /** Waits until the group's coordinator commits. The first request for it creates the coordinators' topic. */
    static void awaitCoordinator(RawClient client, TopicRef topic) {
        boolean commits = Deadline.after(Patience.ofSeconds(30)).await(() -> {
            try {
                client.call(FIND_VERSION, new FindCoordinatorRequestData().setKey(group(topic)));
                return error(client.call(VERSION, request(topic), OffsetCommitResponseData.class)) == Errors.NONE;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        if (!commits) {
            throw new IllegalStateException("no coordinator commits the offsets of " + group(topic));
        }
    }

    static void check(OffsetCommitResponseData response) {
        if (error(response) != Errors.NONE) {
            throw new IllegalStateException("a commit was answered " + error(response));
        }
    }

    private static Errors error(OffsetCommitResponseData response) {
        return Errors.forCode(response.topics().get(0).partitions().get(0).errorCode());
    }
}
