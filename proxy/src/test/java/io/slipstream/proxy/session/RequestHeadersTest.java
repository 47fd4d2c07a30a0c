// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.slipstream.proxy.buffer.PooledMemory;
import io.slipstream.proxy.count.PartitionTable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.api.Test;

class RequestHeadersTest {
    private final RequestHeaders headers = new RequestHeaders();
    private final FrameCounts counts = new FrameCounts(new PartitionTable());

    @Test
    void shouldReadClientIdsAndCutThem() {
        assertThat(clientId(withClientId("sensors"))).isEqualTo("sensors");
        assertThat(clientId(withClientId(""))).isEmpty();
        assertThat(clientId(withClientId("x".repeat(500)))).hasSize(255);
        ByteBuf none = withClientId("sensors");
        assertThat(clientId(none.setShort(12, -1))).isEmpty();
        assertThat(clientId(none.setShort(12, 30_000))).isEmpty();
        assertThat(clientId(none.setShort(12, 7).writerIndex(13))).isEmpty();
    }

    private String clientId(ByteBuf wire) {
        headers.read(PooledMemory.frame(wire), new RequestSlot(null));
        return headers.clientId();
    }

    private boolean producesWithoutResponse(ByteBuf wire) {
        RequestSlot slot = new RequestSlot(null);
        ByteBuffer frame = PooledMemory.frame(wire);
        headers.read(frame, slot);
        counts.readProduce(frame, slot);
        return !slot.expectsResponse;
    }

    private static ByteBuf withClientId(String id) {
        ByteBuf wire = Unpooled.buffer().writeZero(12).writeShort(id.length());
        wire.writeCharSequence(id, java.nio.charset.StandardCharsets.UTF_8);
        return wire;
    }

    @Test
    void shouldReadAcksOfEveryProduceVersion() {
        for (short version = 3; version <= ApiKeys.PRODUCE.latestVersion(); version++) {
            for (short acks = -1; acks <= 1; acks++) {
                for (String clientId : new String[] {null, "", "a client"}) {
                    for (String transactionalId : new String[] {null, "a transaction"}) {
                        ByteBuf wire = produce(version, acks, clientId, transactionalId);
                        assertThat(producesWithoutResponse(wire))
                                .as(
                                        "version %d acks %d client %s transaction %s",
                                        version, acks, clientId, transactionalId)
                                .isEqualTo(acks == 0);
                    }
                }
            }
        }
    }

    /** Found by fuzzing: Kafka takes each negative length for null. */
    @Test
    void shouldReadAcksBehindStringsOfAnyNegativeLength() {
        for (int length : new int[] {-1, -2, -256, Short.MIN_VALUE}) {
            ByteBuf wire = produce((short) 3, (short) 0, null, null);
            assertThat(producesWithoutResponse(wire.setShort(12, length)))
                    .as("client id of length %d", length)
                    .isTrue();
            assertThat(producesWithoutResponse(wire.setShort(14, length)))
                    .as("transactional id of length %d", length)
                    .isTrue();
        }
    }

    @Test
    void shouldNeitherThrowNorLoopOnTruncatedOrGarbledProduce() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            ByteBuf wire = produce((short) (3 + random.nextInt(11)), (short) 0, "c", "t");
            int from = 8 + random.nextInt(wire.readableBytes() - 8);
            for (int i = 0; i < 5; i++) {
                wire.setByte(Math.min(wire.writerIndex() - 1, from + i), random.nextInt(256));
            }
            wire.writerIndex(Math.max(12, random.nextInt(wire.writerIndex())));
            producesWithoutResponse(wire);
        }
    }

    /** A compact length so large that the offset after it exceeds an int. */
    @Test
    void shouldNotBeThrownByATransactionalIdOfTwoGigabytes() {
        for (int beyond = 0; beyond < 64; beyond++) {
            ByteBuf wire = produce((short) 9, (short) 0, null, null);
            int length = Integer.MAX_VALUE - beyond;
            wire.writerIndex(15).writeByte(length | 0x80).writeByte(length >>> 7 | 0x80);
            wire.writeByte(length >>> 14 | 0x80).writeByte(length >>> 21 | 0x80).writeByte(length >>> 28);
            wire.writeZero(20);
            assertThat(producesWithoutResponse(wire)).isFalse();
        }
    }

    @Test
    void shouldTellASoundFlexibleHeader() {
        ByteBuf sound = produce((short) 9, (short) 1, "client", null);
        assertThat(headers.hasFlexibleHeader(sound)).isTrue();
        assertThat(headers.hasFlexibleHeader(sound.copy().setShort(12, 200))).isFalse();
        assertThat(headers.hasFlexibleHeader(sound.copy().setByte(20, 109))).isFalse();
        assertThat(headers.hasFlexibleHeader(sound.copy().writerIndex(20))).isFalse();
        assertThat(headers.hasFlexibleHeader(sound.copy().writerIndex(13))).isFalse();
    }

    @Test
    void shouldTellRequestsFromSaslTokens() {
        assertThat(RequestHeaders.looksLikeRequest(produce((short) 9, (short) 1, "c", null)))
                .isTrue();
        for (String token : new String[] {
            "\0user\0password",
            "\0a\0b",
            "admin\0user\0password-that-is-long",
            "n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL",
            "c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=",
            "n,,\1auth=Bearer abcdefghijklmnopqrstuvwxyz\1\1",
            "\1",
            ""
        }) {
            assertThat(RequestHeaders.looksLikeRequest(token(token))).as(token).isFalse();
        }
        ByteBuf gssapi = Unpooled.buffer().writeInt(20).writeByte(0x60).writeZero(19);
        assertThat(RequestHeaders.looksLikeRequest(gssapi)).isFalse();
    }

    private static ByteBuf token(String token) {
        byte[] bytes = token.getBytes(StandardCharsets.ISO_8859_1);
        return Unpooled.buffer().writeInt(bytes.length).writeBytes(bytes);
    }

    private static ByteBuf produce(short version, short acks, String clientId, String transactionalId) {
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(ApiKeys.PRODUCE.id)
                .setRequestApiVersion(version)
                .setCorrelationId(77)
                .setClientId(clientId);
        ProduceRequestData body =
                new ProduceRequestData().setAcks(acks).setTimeoutMs(1000).setTransactionalId(transactionalId);
        ByteBuffer headerBytes = MessageUtil.toByteBufferAccessor(header, ApiKeys.PRODUCE.requestHeaderVersion(version))
                .buffer();
        ByteBuffer bodyBytes = MessageUtil.toByteBufferAccessor(body, version).buffer();
        return Unpooled.buffer()
                .writeInt(headerBytes.remaining() + bodyBytes.remaining())
                .writeBytes(headerBytes)
                .writeBytes(bodyBytes);
    }
}
