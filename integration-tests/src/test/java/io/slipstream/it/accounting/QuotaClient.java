// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.PlainLogin;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * A client that sends requests as fast as answers arrive, ignores {@code throttle_time_ms}, and counts its bytes. Read
 * the counts after it has run.
 */
final class QuotaClient implements AutoCloseable {
    private static final int BATCH_BYTES = 10_000;
    private static final int BATCHES = 1_000;
    private static final int FETCH_BYTES = 100_000;

    private final RawClient client;
    private final Step step;
    private long bytes;
    private long answers;
    private long throttled;
    private long offset;

    private interface Step {
        void run(QuotaClient client) throws IOException;
    }

    private QuotaClient(String bootstrap, String user, Step step) throws IOException {
        this.client = RawClient.connect(bootstrap);
        this.step = step;
        if (user != null) {
            PlainLogin.of(client, user);
        }
        // A proxy that cannot query the broker learns the cluster from this answer.
        client.call((short) 12, new MetadataRequestData().setTopics(List.of()));
    }

    /** @param user null without SASL */
    static QuotaClient producer(String bootstrap, String user, String clientId, TopicRef topic) throws IOException {
        RequestFrame frame = produce(topic, clientId, BATCH_BYTES);
        return new QuotaClient(bootstrap, user, client -> client.produce(frame));
    }

    /** Writes small requests frequently, which uses the broker's request time. */
    static QuotaClient requester(String bootstrap, String clientId, TopicRef topic) throws IOException {
        RequestFrame frame = produce(topic, clientId, 10);
        return new QuotaClient(bootstrap, null, client -> client.produce(frame));
    }

    /** Reads partition 0 in a loop. */
    static QuotaClient consumer(String bootstrap, String user, String clientId, TopicRef topic) throws IOException {
        return new QuotaClient(bootstrap, user, client -> client.fetch(topic, clientId));
    }

    /** Writes the records for consumers. */
    static void fill(String bootstrap, TopicRef topic) throws IOException {
        try (QuotaClient client = producer(bootstrap, null, "filler", topic)) {
            for (int i = 0; i < BATCHES; i++) {
                client.step.run(client);
            }
        }
    }

    private static RequestFrame produce(TopicRef topic, String clientId, int valueBytes) {
        ProduceRequests request =
                ProduceRequests.version(ProduceRequests.NEWEST, 1).add(topic, 0, Batches.of(new byte[valueBytes]));
        return RequestFrame.of(ProduceRequests.NEWEST, request.data(), clientId);
    }

    void runUntil(long endNs) throws IOException {
        while (endNs - System.nanoTime() > 0) {
            step.run(this);
        }
    }

    private void produce(RequestFrame frame) throws IOException {
        client.send(frame);
        ProduceResponseData response = client.receive().as(ProduceResponseData.class);
        assertThat(response.responses().iterator().next().partitionResponses())
                .allSatisfy(partition -> assertThat(partition.errorCode()).isEqualTo(Errors.NONE.code()));
        bytes += frame.sizeBytes();
        count(response.throttleTimeMs());
    }

    private void fetch(TopicRef topic, String clientId) throws IOException {
        client.send(FetchRequests.version(FetchRequests.NEWEST)
                .maxBytes(FETCH_BYTES)
                .add(topic, 0, offset)
                .frame(clientId));
        FetchResponseData response = client.receive().as(FetchResponseData.class);
        count(response.throttleTimeMs());
        if (response.responses().isEmpty()) {
            return;
        }
        FetchResponseData.PartitionData partition =
                response.responses().get(0).partitions().get(0);
        assertThat(partition.errorCode()).isEqualTo(Errors.NONE.code());
        MemoryRecords records = (MemoryRecords) partition.records();
        bytes += records.sizeInBytes();
        for (RecordBatch batch : records.batches()) {
            offset = batch.nextOffset();
        }
        if (offset >= partition.highWatermark()) {
            offset = 0;
        }
    }

    private void count(int throttleMs) {
        answers++;
        if (throttleMs > 0) {
            throttled++;
        }
    }

    long bytes() {
        return bytes;
    }

    long answers() {
        return answers;
    }

    long throttled() {
        return throttled;
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
