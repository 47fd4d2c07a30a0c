// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.address;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;

/**
 * The beginning of a Metadata response: brokers and cluster id. The topics come after it. They may be many, so they are
 * copied and not decoded.
 *
 * @param data only brokers and cluster id
 * @param start position of the first broker in the response
 * @param end position after the last one
 */
record MetadataHead(MetadataResponseData data, int start, int end) {
    private static final short FIRST_WITH_CLUSTER_ID = 2;
    private static final short FIRST_WITH_THROTTLE_TIME = 3;
    private static final short FIRST_FLEXIBLE = 9;

    static MetadataHead read(ByteBuffer response, short version) {
        ByteBufferAccessor in = new ByteBufferAccessor(response.duplicate());
        new ResponseHeaderData(in, ApiKeys.METADATA.responseHeaderVersion(version));
        if (version >= FIRST_WITH_THROTTLE_TIME) {
            in.readInt();
        }
        boolean flexible = version >= FIRST_FLEXIBLE;
        int brokers = flexible ? in.readUnsignedVarint() - 1 : in.readInt();
        int start = in.buffer().position();
        MetadataResponseData data = new MetadataResponseData();
        for (int i = 0; i < brokers; i++) {
            data.brokers().add(new MetadataResponseBroker(in, version));
        }
        int end = in.buffer().position();
        if (version >= FIRST_WITH_CLUSTER_ID) {
            int length = flexible ? in.readUnsignedVarint() - 1 : in.readShort();
            data.setClusterId(length < 0 ? null : in.readString(length));
        }
        return new MetadataHead(data, start, end);
    }

    /** The response with these brokers, as many as before, in a new heap buffer. */
    ByteBuffer spliced(ByteBuffer response, short version) {
        List<ByteBuffer> brokers = data.brokers().stream()
                .map(broker -> MessageUtil.toByteBufferAccessor(broker, version).buffer())
                .toList();
        int brokerBytes = brokers.stream().mapToInt(ByteBuffer::remaining).sum();
        ByteBuffer out = ByteBuffer.allocate(response.remaining() - (end - start) + brokerBytes);
        out.put(response.duplicate().limit(start));
        brokers.forEach(out::put);
        return out.put(response.duplicate().position(end)).flip();
    }
}
