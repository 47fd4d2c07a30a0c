// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security.access;

import io.slipstream.harness.raw.RawResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;

/**
 * The text of a Produce or Fetch answer per partition: error, offsets, message, record values. Other answers print
 * themselves.
 */
final class AccessText {
    private AccessText() {}

    static String of(RawResponse response) {
        if (response.body() instanceof ProduceResponseData produce) {
            return ofProduce(produce);
        } else if (response.body() instanceof FetchResponseData fetch) {
            return ofFetch(fetch);
        }
        return response.body().toString();
    }

    private static String ofProduce(ProduceResponseData produce) {
        List<String> lines = new ArrayList<>();
        produce.responses()
                .forEach(topic -> topic.partitionResponses()
                        .forEach(partition -> lines.add(topic.name() + topic.topicId() + '-' + partition.index() + ' '
                                + Errors.forCode(partition.errorCode()) + " offset " + partition.baseOffset()
                                + " start "
                                + partition.logStartOffset() + ' ' + partition.errorMessage())));
        return String.join("\n", lines);
    }

    private static String ofFetch(FetchResponseData fetch) {
        List<String> lines = new ArrayList<>();
        lines.add(Errors.forCode(fetch.errorCode()).name());
        fetch.responses()
                .forEach(topic -> topic.partitions().forEach(partition -> {
                    List<String> values = new ArrayList<>();
                    if (partition.records() != null) {
                        for (Record record : ((MemoryRecords) partition.records()).records()) {
                            byte[] value = new byte[record.valueSize()];
                            record.value().get(value);
                            values.add(record.offset() + "=" + new String(value, StandardCharsets.UTF_8));
                        }
                    }
                    lines.add(topic.topic() + topic.topicId() + '-' + partition.partitionIndex() + ' '
                            + Errors.forCode(partition.errorCode()) + " high " + partition.highWatermark() + " stable "
                            + partition.lastStableOffset() + " start " + partition.logStartOffset() + " aborted "
                            + partition.abortedTransactions() + ' ' + values);
                }));
        return String.join("\n", lines);
    }
}
