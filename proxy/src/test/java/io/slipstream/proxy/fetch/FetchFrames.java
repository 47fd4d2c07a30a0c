// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.wire.RequestHeaderView;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.MessageUtil;

/** Fetch requests as Kafka's own writer makes them. */
public final class FetchFrames {
    public static final Uuid TOPIC_ID = new Uuid(7, 9);
    public static final String TOPIC = "cars";

    private final FetchRequestData data = new FetchRequestData();
    private final FetchTopic topic = new FetchTopic().setTopic(TOPIC).setTopicId(TOPIC_ID);
    private short version = 17;
    private int correlationId = 1;

    private FetchFrames() {
        data.setReplicaId(-1)
                .setMaxWaitMs(500)
                .setMinBytes(1)
                .setMaxBytes(1 << 20)
                .setSessionEpoch(-1);
        data.topics().add(topic);
    }

    public static FetchFrames fetch() {
        return new FetchFrames();
    }

    public FetchFrames version(int value) {
        version = (short) value;
        return this;
    }

    public FetchFrames correlationId(int value) {
        correlationId = value;
        return this;
    }

    public FetchFrames with(Consumer<FetchRequestData> change) {
        change.accept(data);
        return this;
    }

    public FetchFrames partition(int index, long fetchOffset, int maxBytes) {
        return partition(index, fetchOffset, maxBytes, p -> {});
    }

    public FetchFrames partition(int index, long fetchOffset, int maxBytes, Consumer<FetchPartition> change) {
        FetchPartition partition = new FetchPartition()
                .setPartition(index)
                .setFetchOffset(fetchOffset)
                .setPartitionMaxBytes(maxBytes);
        change.accept(partition);
        topic.partitions().add(partition);
        return this;
    }

    /** Header and body, without the size. */
    public byte[] bytes() {
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(ApiKeys.FETCH.id)
                .setRequestApiVersion(version)
                .setCorrelationId(correlationId)
                .setClientId("planner");
        ByteBuffer head = MessageUtil.toByteBufferAccessor(header, ApiKeys.FETCH.requestHeaderVersion(version))
                .buffer();
        FetchRequestData written = data.duplicate();
        if (version >= 13) {
            written.topics().forEach(t -> t.setTopic(""));
        } else {
            written.topics().forEach(t -> t.setTopicId(Uuid.ZERO_UUID));
        }
        ByteBuffer body = MessageUtil.toByteBufferAccessor(written, version).buffer();
        int headBytes = head.remaining();
        byte[] bytes = new byte[headBytes + body.remaining()];
        head.get(bytes, 0, headBytes);
        body.get(bytes, headBytes, body.remaining());
        return bytes;
    }

    public FetchRequestView view() {
        ByteBuffer frame = ByteBuffer.wrap(bytes());
        RequestHeaderView header = new RequestHeaderView();
        header.wrap(frame);
        FetchRequestView view = new FetchRequestView();
        if (!view.wrap(frame, header.bodyPosition, version)) {
            throw new AssertionError("malformed request in a test");
        }
        return view;
    }
}
