// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Reads answers to {@link FetchFrames} with Kafka's own classes. */
public final class FetchAnswers {
    private static final short USUAL_VERSION = 17;

    /** Correlation id 0 and no tags. */
    private static final int HEADER_BYTES = Integer.BYTES + 1;

    private FetchAnswers() {}

    /** Fails unless all bytes belong to the response. */
    public static FetchResponseData parse(byte[] response, short version) {
        ByteBufferAccessor in = new ByteBufferAccessor(ByteBuffer.wrap(response));
        new ResponseHeaderData(in, ApiKeys.FETCH.responseHeaderVersion(version));
        FetchResponseData data = new FetchResponseData(in, version);
        assertThat(in.remaining()).isZero();
        return data;
    }

    public static FetchResponseData parse(byte[] response) {
        return parse(response, USUAL_VERSION);
    }

    /** Header and body, as a broker writes them. */
    public static byte[] bytes(FetchResponseData data) {
        ByteBuffer body = MessageUtil.toByteBufferAccessor(data, USUAL_VERSION).buffer();
        byte[] bytes = new byte[HEADER_BYTES + body.remaining()];
        body.get(bytes, HEADER_BYTES, body.remaining());
        return bytes;
    }

    public static PartitionData only(FetchResponseData response) {
        assertThat(response.responses()).hasSize(1);
        assertThat(response.responses().get(0).partitions()).hasSize(1);
        return response.responses().get(0).partitions().get(0);
    }

    public static byte[] records(PartitionData partition) {
        ByteBuffer bytes = ((MemoryRecords) partition.records()).buffer();
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return copy;
    }

    public static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
