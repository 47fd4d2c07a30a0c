// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** A Fetch answer of several partitions, with node endpoints. */
final class LargeAnswer {
    static final short VERSION = 17;
    static final int RECORDS_OF_A_BATCH = 3;
    /** Bytes of the node endpoints, which end the frame. */
    static final int ENDPOINTS_BYTES = 20;

    private static final int PARTITIONS = 5;

    final long records;
    /** The frame with its size, for correlation id 1. */
    final byte[] wire;

    LargeAnswer(int sizeBytes, int batchBytes) {
        int batches = Math.max(1, sizeBytes / PARTITIONS / batchBytes);
        ByteBuffer batch =
                MemoryRecords.withRecords(Compression.NONE, batch(batchBytes)).buffer();
        FetchableTopicResponse topic = new FetchableTopicResponse().setTopicId(new Uuid(3, 4));
        for (int p = 0; p < PARTITIONS; p++) {
            ByteBuffer log = ByteBuffer.allocate(batches * batch.remaining());
            for (int i = 0; i < batches; i++) {
                log.put(batch.duplicate());
            }
            topic.partitions()
                    .add(new PartitionData()
                            .setPartitionIndex(p)
                            .setRecords(MemoryRecords.readableRecords(log.flip())));
        }
        FetchResponseData data = new FetchResponseData().setResponses(List.of(topic));
        data.nodeEndpoints()
                .add(new NodeEndpoint().setNodeId(7).setHost("broker-7").setPort(9092));
        ByteBuffer header = MessageUtil.toByteBufferAccessor(
                        new ResponseHeaderData().setCorrelationId(1), ApiKeys.FETCH.responseHeaderVersion(VERSION))
                .buffer();
        ByteBuffer body = MessageUtil.toByteBufferAccessor(data, VERSION).buffer();
        records = (long) PARTITIONS * batches * RECORDS_OF_A_BATCH;
        wire = new byte[Integer.BYTES + header.remaining() + body.remaining()];
        ByteBuffer.wrap(wire)
                .putInt(header.remaining() + body.remaining())
                .put(header)
                .put(body);
    }

    private static SimpleRecord[] batch(int sizeBytes) {
        SimpleRecord[] made = new SimpleRecord[RECORDS_OF_A_BATCH];
        for (int i = 0; i < made.length; i++) {
            made[i] = new SimpleRecord(new byte[sizeBytes / RECORDS_OF_A_BATCH]);
        }
        return made;
    }

    static byte[] request() {
        return WireClient.request(ApiKeys.FETCH.id, VERSION, 1, (byte) 0);
    }

    void answer(OutputStream out, int correlationId) throws IOException {
        out.write(wire);
        out.flush();
    }

    /** Whether that is this answer, without its size and with another tag of its node endpoints. */
    boolean isPassedOn(ByteBuffer received) {
        byte[] expected = wire.clone();
        expected[wire.length - ENDPOINTS_BYTES - 2] = 127;
        return received.equals(ByteBuffer.wrap(expected).position(Integer.BYTES));
    }
}
