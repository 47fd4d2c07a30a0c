// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.time.Duration;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;

/** Reads partition 0 in a loop as fast as answers arrive, ignores {@code throttle_time_ms}, and counts records. */
final class CountingConsumer implements AutoCloseable {
    private final RawClient client;
    private final String clientId;
    private final TopicRef topic;
    private final int fetchBytes;
    private long offset;
    long recordBytes;
    int fetches;
    int throttled;

    CountingConsumer(String bootstrap, String clientId, TopicRef topic, int fetchBytes) throws IOException {
        this.client = RawClient.connect(bootstrap);
        this.clientId = clientId;
        this.topic = topic;
        this.fetchBytes = fetchBytes;
    }

    void readFor(Duration time) throws IOException {
        long endNs = System.nanoTime() + time.toNanos();
        while (endNs - System.nanoTime() > 0) {
            read();
        }
    }

    void readBytes(long least) throws IOException {
        long until = recordBytes + least;
        while (recordBytes < until) {
            read();
        }
    }

    void read() throws IOException {
        client.send(FetchRequests.version(FetchRequests.NEWEST)
                .maxBytes(fetchBytes)
                .add(topic, 0, offset)
                .frame(clientId));
        FetchResponseData response = client.receive().as(FetchResponseData.class);
        fetches++;
        if (response.throttleTimeMs() > 0) {
            throttled++;
            assertThat(response.responses()).as("a throttled answer").isEmpty();
            return;
        }
        PartitionData partition = response.responses().get(0).partitions().get(0);
        assertThat(partition.errorCode()).isEqualTo(Errors.NONE.code());
        MemoryRecords records = (MemoryRecords) partition.records();
        recordBytes += records.sizeInBytes();
        for (RecordBatch batch : records.batches()) {
            offset = batch.nextOffset();
        }
        if (offset >= partition.highWatermark()) {
            offset = 0;
        }
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
