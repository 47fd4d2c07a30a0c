// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawResponse;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;

/** A client-side fetch session with one request at a time. Notes each answer except the session id. */
final class RawSession {
    private final ArmContext arm;
    private final RawClient client;
    private final int version;
    private int id;
    private int epoch;
    /** Kept after the session's end. */
    private int lastId;

    private boolean full;
    /** End offsets of received records by partition, until the next request reports them. */
    private final Map<Partition, Long> arrived = new LinkedHashMap<>();

    private record Partition(TopicRef topic, int index) {}

    RawSession(ArmContext arm, RawClient client, int version) {
        this.arm = arm;
        this.client = client;
        this.version = version;
    }

    /** Returns the next request: a full one that opens the session, or an incremental one. */
    FetchRequests request() {
        return FetchRequests.version(version).session(id, epoch);
    }

    /** As {@link #request}, from the end of the records received last. */
    FetchRequests movedOn() {
        FetchRequests request = request();
        arrived.forEach((partition, offset) -> request.add(partition.topic, partition.index, offset));
        arrived.clear();
        return request;
    }

    FetchRequests closing() {
        return FetchRequests.version(version).session(id, -1);
    }

    FetchRequests closingAgain() {
        return FetchRequests.version(version).session(lastId, -1);
    }

    FetchRequests reopening() {
        return FetchRequests.version(version).session(id, 0);
    }

    /** Returns a request of the session even if the last answer ended it. */
    FetchRequests later() {
        return later(version);
    }

    FetchRequests later(int otherVersion) {
        return FetchRequests.version(otherVersion).session(lastId, Math.max(1, epoch));
    }

    FetchRequests ahead() {
        return FetchRequests.version(version).session(lastId, epoch + 5);
    }

    FetchRequests forget(FetchRequests request, TopicRef topic, Integer... partitions) {
        List<ForgottenTopic> forgotten = request.data().forgottenTopicsData();
        ForgottenTopic named = new ForgottenTopic().setPartitions(Arrays.asList(partitions));
        forgotten.add(
                version >= FetchRequests.FIRST_VERSION_BY_ID
                        ? named.setTopicId(topic.id())
                        : named.setTopic(topic.name()));
        return request;
    }

    void poll(String label, FetchRequests request) throws IOException {
        send(request);
        receive(label);
    }

    void send(FetchRequests request) throws IOException {
        full = request.data().sessionEpoch() <= 0;
        client.send(request.frame());
    }

    void receive(String label) throws IOException {
        RawResponse response = client.receive();
        FetchResponseData data = response.as(FetchResponseData.class);
        if (data.sessionId() != 0) {
            lastId = data.sessionId();
            arm.transcript().alias("sessionId=" + data.sessionId(), "sessionId=<one>");
        }
        take(data);
        arm.transcript().note(label, response);
        if (full) {
            id = data.sessionId();
            epoch = id == 0 ? 0 : 1;
        } else if (data.errorCode() == 0) {
            id = data.sessionId();
            epoch = id == 0 ? 0 : epoch + 1;
        }
    }

    private void take(FetchResponseData data) {
        for (FetchableTopicResponse topic : data.responses()) {
            for (PartitionData partition : topic.partitions()) {
                MemoryRecords records = (MemoryRecords) partition.records();
                if (records != null) {
                    for (MutableRecordBatch batch : records.batches()) {
                        arrived.put(
                                new Partition(new TopicRef(topic.topic(), topic.topicId()), partition.partitionIndex()),
                                batch.nextOffset());
                    }
                }
            }
        }
    }
}
