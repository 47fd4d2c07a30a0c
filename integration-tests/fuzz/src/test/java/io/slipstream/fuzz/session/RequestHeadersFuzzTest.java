// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.session;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.slipstream.fuzz.HeapUse;
import io.slipstream.fuzz.KafkaReaders;
import io.slipstream.proxy.buffer.PooledMemory;
import io.slipstream.proxy.count.PartitionTable;
import io.slipstream.proxy.session.FrameCounts;
import io.slipstream.proxy.session.FrameDecoder;
import io.slipstream.proxy.session.KafkaApi;
import io.slipstream.proxy.session.RequestHeaders;
import io.slipstream.proxy.session.RequestSlot;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * The fields that a session reads from a client's frame before decoding. Reading never throws, and gives the same
 * values as Kafka.
 *
 * <pre>
 *   0 frame from its API key on; the lowest bit of any other key selects Produce or Fetch
 * </pre>
 */
class RequestHeadersFuzzTest {
    private final RequestHeaders headers = new RequestHeaders();
    private final FrameCounts counts = new FrameCounts(new PartitionTable());

    @FuzzTest
    void shouldReadOfAFrameWhatKafkaReads(byte[] input) {
        if (input.length < RequestHeaders.FIXED_BYTES - FrameDecoder.SIZE_BYTES) {
            return;
        }
        ByteBuf wire = PooledMemory.ALLOCATOR.directBuffer(FrameDecoder.SIZE_BYTES + input.length);
        try {
            check(input, wire.writeInt(input.length).writeBytes(input));
        } finally {
            wire.release();
        }
    }

    private void check(byte[] input, ByteBuf wire) {
        boolean looksLikeRequest = RequestHeaders.looksLikeRequest(wire);
        if (RequestHeaders.apiKey(wire) > KafkaApi.FETCH || RequestHeaders.apiKey(wire) < 0) {
            wire.setShort(4, RequestHeaders.apiKey(wire) & 1);
        }
        short version = RequestHeaders.apiVersion(wire);
        RequestSlot slot = new RequestSlot(null);
        slot.wire = wire;
        HeapUse.requireAtMost(0, () -> headers.read(PooledMemory.frame(wire), slot));
        require(slot.bodyPosition <= wire.readableBytes() - FrameDecoder.SIZE_BYTES, "a body behind the frame");
        if (slot.apiKey == KafkaApi.PRODUCE) {
            checkProduce(slot, version);
        } else {
            checkFetch(slot, version);
        }
        ByteBuffer original = ByteBuffer.wrap(input);
        if (!looksLikeRequest && ApiKeys.hasId(original.getShort(0))) {
            ApiMessageType type = ApiMessageType.fromApiKey(original.getShort(0));
            short given = original.getShort(2);
            if (isKnown(type, given)
                    && original.limit() >= RequestHeaders.FIXED_BYTES
                    && KafkaReaders.isKafkasHeader(original)) {
                require(
                        KafkaReaders.request(original, type, given) == null,
                        "Kafka reads a request that the session does not recognise");
            }
        }
    }

    private void checkProduce(RequestSlot slot, short version) {
        HeapUse.requireAtMost(0, () -> counts.readProduce(PooledMemory.frame(slot.wire), slot));
        boolean silent = !slot.expectsResponse;
        require(slot.records >= 0, slot.records + " records");
        if (isKnown(ApiMessageType.PRODUCE, version)) {
            KafkaReaders.Read read = KafkaReaders.request(frame(slot.wire), ApiMessageType.PRODUCE, version);
            if (read != null) {
                short acks = ((ProduceRequestData) read.body()).acks();
                require(silent == (acks == 0), "acks " + acks + " taken for " + (silent ? "none" : "some"));
            }
        }
    }

    /**
     * Declining a session changes only the session's two fields. If Kafka could read the request before, it still can.
     */
    private void checkFetch(RequestSlot slot, short version) {
        ByteBuf wire = slot.wire;
        ByteBuffer before = ByteBuffer.allocate(wire.readableBytes() - FrameDecoder.SIZE_BYTES);
        before.put(frame(wire)).flip();
        counts.declineSession(slot);
        ByteBuffer after = frame(wire);
        int changed = before.mismatch(after);
        if (changed >= 0) {
            require(isKnown(ApiMessageType.FETCH, version), "a Fetch of an unknown version was changed");
            int last = changed;
            for (int i = changed; i < before.limit(); i++) {
                last = before.get(i) == after.get(i) ? last : i;
            }
            require(last - changed < 2 * Integer.BYTES, "more than a session's fields were changed");
            require(KafkaReaders.request(before, ApiMessageType.FETCH, version) != null, "no Fetch, but changed");
            require(KafkaReaders.request(after, ApiMessageType.FETCH, version) != null, "no longer a Fetch");
        }
    }

    private static boolean isKnown(ApiMessageType type, short version) {
        return version >= type.lowestSupportedVersion() && version <= type.highestSupportedVersion(true);
    }

    private static ByteBuffer frame(ByteBuf wire) {
        return wire.nioBuffer(FrameDecoder.SIZE_BYTES, wire.readableBytes() - FrameDecoder.SIZE_BYTES);
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
