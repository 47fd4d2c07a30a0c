// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;

/**
 * A consumer that requests a fetch session and follows KIP-227: incremental requests within a session, full ones
 * without. It reports the knowledge that any such client must end up with.
 */
final class SessionConsumer {
    private static final int WAIT_MS = 50;

    private final RawClient client;
    private final TopicRef topic;
    private final long[] positions;
    private final boolean[] changed;
    private final SortedMap<Integer, String> watermarks = new TreeMap<>();
    private int sessionId;
    private int nextEpoch;

    SessionConsumer(RawClient client, TopicRef topic, int partitions) {
        this.client = client;
        this.topic = topic;
        positions = new long[partitions];
        changed = new boolean[partitions];
    }

    /** Fetches once. Returns the received batches and the known watermarks by partition. */
    String poll() throws IOException {
        FetchRequests request =
                FetchRequests.version(FetchRequests.NEWEST).minBytes(1, WAIT_MS).session(sessionId, nextEpoch);
        boolean full = nextEpoch == 0;
        for (int partition = 0; partition < positions.length; partition++) {
            if (full || changed[partition]) {
                request.add(topic, partition, positions[partition]);
            }
            changed[partition] = false;
        }
        client.send(request.frame());
        FetchResponseData response = client.receive().as(FetchResponseData.class);
        List<String> arrived = new ArrayList<>();
        for (FetchableTopicResponse answered : response.responses()) {
            answered.partitions().forEach(partition -> take(partition, arrived));
        }
        sessionId = response.sessionId();
        nextEpoch = sessionId == 0 ? 0 : nextEpoch + 1;
        return Errors.forCode(response.errorCode()) + " arrived " + arrived + " watermarks " + watermarks;
    }

    private void take(PartitionData partition, List<String> arrived) {
        int index = partition.partitionIndex();
        watermarks.put(
                index,
                Errors.forCode(partition.errorCode()) + " hw " + partition.highWatermark() + " lso "
                        + partition.lastStableOffset() + " start " + partition.logStartOffset());
        MemoryRecords records = (MemoryRecords) partition.records();
        if (records == null || records.sizeInBytes() == 0) {
            return;
        }
        arrived.add(index + " " + BatchText.of(records));
        for (MutableRecordBatch batch : records.batches()) {
            positions[index] = batch.nextOffset();
        }
        changed[index] = true;
    }
}
