// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;

/** Records of partition 0, one per Produce request. Refusals are the exceptions of Kafka's error codes. */
final class RawRecords {
    private static final int PRODUCE_VERSION = 9;
    private static final int FETCH_VERSION = 12;
    private static final int MAX_WAIT_MS = 500;

    private RawRecords() {}

    static void produce(RawClient client, TopicRef topic, String value) throws IOException {
        ProduceResponseData answer = client.call(
                PRODUCE_VERSION,
                ProduceRequests.version(PRODUCE_VERSION, 1)
                        .add(topic, 0, Batches.of(value.getBytes(StandardCharsets.UTF_8)))
                        .data(),
                ProduceResponseData.class);
        Errors.forCode(answer.responses()
                        .iterator()
                        .next()
                        .partitionResponses()
                        .get(0)
                        .errorCode())
                .maybeThrow();
    }

    /** Waits briefly at the end of the log. Returns the offset after the last record read. */
    static long fetch(RawClient client, TopicRef topic, long offset) throws IOException {
        FetchResponseData answer = client.call(
                FETCH_VERSION,
                FetchRequests.version(FETCH_VERSION)
                        .minBytes(1, MAX_WAIT_MS)
                        .add(topic, 0, offset)
                        .data(),
                FetchResponseData.class);
        FetchResponseData.PartitionData partition =
                answer.responses().get(0).partitions().get(0);
        Errors.forCode(partition.errorCode()).maybeThrow();
        long next = offset;
        for (Record record : ((MemoryRecords) partition.records()).records()) {
            next = Math.max(next, record.offset() + 1);
        }
        return next;
    }
}
