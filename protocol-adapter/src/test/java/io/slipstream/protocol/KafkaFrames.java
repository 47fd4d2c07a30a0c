// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.RequestUtils;

/** Frames (from the header on, without the size) written by Kafka's own serializers. */
public final class KafkaFrames {
    private KafkaFrames() {}

    public static ByteBuffer request(ApiKeys api, short version, int correlationId, String clientId, ApiMessage body) {
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(api.id)
                .setRequestApiVersion(version)
                .setCorrelationId(correlationId)
                .setClientId(clientId);
        return RequestUtils.serialize(header, api.requestHeaderVersion(version), body, version);
    }

    public static ByteBuffer response(ApiKeys api, short version, int correlationId, ApiMessage body) {
        ResponseHeaderData header = new ResponseHeaderData().setCorrelationId(correlationId);
        return RequestUtils.serialize(header, api.responseHeaderVersion(version), body, version);
    }

    /** One batch with that many records. */
    public static MemoryRecords batch(long baseOffset, int leaderEpoch, int records) {
        SimpleRecord[] simple = new SimpleRecord[records];
        for (int i = 0; i < records; i++) {
            simple[i] = new SimpleRecord(1_000L + i, ("value " + i).getBytes(StandardCharsets.UTF_8));
        }
        return MemoryRecords.withRecords(baseOffset, Compression.NONE, leaderEpoch, simple);
    }

    /** The bytes of the batches, concatenated. */
    public static ByteBuffer log(MemoryRecords... batches) {
        int size = 0;
        for (MemoryRecords batch : batches) {
            size += batch.sizeInBytes();
        }
        ByteBuffer log = ByteBuffer.allocateDirect(size);
        for (MemoryRecords batch : batches) {
            log.put(batch.buffer().duplicate());
        }
        return log.flip();
    }
}
