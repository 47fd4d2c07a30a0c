// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.apache.kafka.common.requests.ResponseHeader;

/** The answers of a leader: the n-th has one record with the value n. */
final class LeaderLog {
    private static final short VERSION = ApiKeys.FETCH.latestVersion();
    private static final Uuid TOPIC_ID = new Uuid(1, 2);
    private static final int MAX_WAIT_MS = 0;

    private final AtomicInteger answers = new AtomicInteger();
    /** Is added to the correlation id of the next answer, and is then 0. */
    final AtomicInteger correlationShift = new AtomicInteger();

    volatile int valueBytes = 1_000;
    volatile Consumer<ByteBuffer> beforeAnswer = request -> {};

    static FetchRequest.Builder fetch(String topic) {
        FetchRequest.PartitionData from = new FetchRequest.PartitionData(TOPIC_ID, 0, 0, 1 << 20, Optional.empty());
        return FetchRequest.Builder.forReplica(
                VERSION, 1, 1, MAX_WAIT_MS, 1, Map.of(new TopicPartition(topic, 0), from));
    }

    /** The plugin's thread. */
    ByteBuffer answer(ByteBuffer request) {
        beforeAnswer.accept(request);
        RequestHeader header = RequestHeader.parse(request);
        FetchResponseData.PartitionData partition = FetchResponse.partitionResponse(0, Errors.NONE)
                .setHighWatermark(1)
                .setRecords(MemoryRecords.withRecords(
                        Compression.NONE, new SimpleRecord(value(answers.getAndIncrement()))));
        LinkedHashMap<TopicIdPartition, FetchResponseData.PartitionData> partitions = new LinkedHashMap<>();
        partitions.put(new TopicIdPartition(TOPIC_ID, 0, "t"), partition);
        ResponseHeader answer = header.toResponseHeader();
        answer.data().setCorrelationId(answer.correlationId() + correlationShift.getAndSet(0));
        return RequestUtils.serialize(
                answer.data(),
                answer.headerVersion(),
                FetchResponse.of(Errors.NONE, 0, 0, partitions, List.of()).data(),
                header.apiVersion());
    }

    private byte[] value(int number) {
        return String.format("%0" + valueBytes + "d", number).getBytes(StandardCharsets.US_ASCII);
    }

    /** The number of the record in an answer; fails if the record is not whole. */
    static int number(ClientResponse response) {
        FetchResponse body = (FetchResponse) response.responseBody();
        MemoryRecords records = (MemoryRecords)
                body.data().responses().get(0).partitions().get(0).records();
        records.batches().forEach(batch -> batch.ensureValid());
        return Integer.parseInt(StandardCharsets.US_ASCII
                .decode(records.records().iterator().next().value())
                .toString());
    }
}
