// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.Allocation;
import io.slipstream.protocol.KafkaFrames;
import io.slipstream.protocol.Seeds;
import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.types.Schema;
import org.junit.jupiter.api.Test;

class FrameGuardTest {
    private static final int SAMPLES = 8;

    private final FrameGuard guard = new FrameGuard();

    private interface FrameTest {
        void run(ApiMessageType type, short version, boolean request) throws Exception;
    }

    /** Every request and response type in every version. */
    private static int forAll(FrameTest test) throws Exception {
        int schemas = 0;
        for (ApiMessageType type : ApiMessageType.values()) {
            for (int v = type.lowestSupportedVersion(); v <= type.highestSupportedVersion(true); v++) {
                test.run(type, (short) v, true);
                test.run(type, (short) v, false);
                schemas += 2;
            }
        }
        return schemas;
    }

    private boolean accepts(ByteBuffer frame, ApiMessageType type, short version, boolean request) {
        return request ? guard.acceptsRequest(frame) : guard.acceptsResponse(frame, type.apiKey(), version);
    }

    @Test
    void shouldAcceptWhatKafkaWritesForEveryTypeAndVersion() throws Exception {
        Random random = Seeds.random("shouldAcceptWhatKafkaWritesForEveryTypeAndVersion");
        Samples samples = new Samples(random);
        int schemas = forAll((type, version, request) -> {
            for (int i = 0; i < SAMPLES; i++) {
                ByteBuffer frame = sample(samples, type, version, request);
                assertThat(accepts(frame, type, version, request))
                        .as("%s %s v%d as a struct", type, request, version)
                        .isTrue();
                ByteBuffer rewritten = rewrite(frame, type, version, request);
                assertThat(accepts(rewritten, type, version, request))
                        .as("%s %s v%d by Kafka's writer", type, request, version)
                        .isTrue();
                assertThat(rewritten.position()).isZero();
            }
        });
        assertThat(schemas).isGreaterThan(400);
    }

    @Test
    void shouldAcceptDefaultMessages() throws Exception {
        forAll((type, version, request) -> {
            ApiKeys api = ApiKeys.forId(type.apiKey());
            ByteBuffer frame = request
                    ? KafkaFrames.request(api, version, 1, null, type.newRequest())
                    : KafkaFrames.response(api, version, 1, type.newResponse());
            assertThat(accepts(frame, type, version, request))
                    .as("%s v%d", type, version)
                    .isTrue();
        });
    }

    @Test
    void shouldBoundWhatKafkasReadersAllocateAndAllocateNothingItself() throws Exception {
        Random random = Seeds.random("shouldBoundWhatKafkasReadersAllocateAndAllocateNothingItself");
        Samples samples = new Samples(random);
        int[] refused = new int[1];
        forAll((type, version, request) -> {
            ByteBuffer frame = sample(samples, type, version, request);
            for (int i = 0; i < 40; i++) {
                ByteBuffer mutant = ByteBuffer.allocate(frame.limit())
                        .put(frame.duplicate())
                        .flip();
                mutate(mutant, random, request ? 8 : 4);
                if (!accepts(mutant, type, version, request)) {
                    refused[0]++;
                    continue;
                }
                long allocated = Allocation.bytesOf(() -> readQuietly(mutant.duplicate(), type, version, request));
                // Apart from class loading and exceptions, an element costs at most some hundred bytes of objects per
                // byte.
                assertThat(allocated)
                        .as("%s %s v%d, %d bytes", type, request, version, mutant.limit())
                        .isLessThan(2_000_000 + 500L * mutant.limit());
            }
            Runnable check = () -> accepts(frame, type, version, request);
            check.run();
            assertThat(Allocation.bytesOf(check)).isLessThan(100);
        });
        assertThat(refused[0]).isGreaterThan(1_000);
    }

    @Test
    void shouldRefuseCountsThatTheBytesCannotHold() {
        // Metadata v9: header v2 without client id, then topics: compact array of 2^28 elements in 5 bytes.
        ByteBuffer bomb = ByteBuffer.allocate(32);
        bomb.putShort(ApiKeys.METADATA.id)
                .putShort((short) 9)
                .putInt(1)
                .putShort((short) -1)
                .put((byte) 0);
        Varints.writeUnsigned(bomb, 1 << 28);
        bomb.position(0);
        assertThat(guard.acceptsRequest(bomb)).isFalse();

        // The same as a classic array, and tagged fields in a header.
        ByteBuffer classic = ByteBuffer.allocate(32);
        classic.putShort(ApiKeys.METADATA.id).putShort((short) 1).putInt(1).putShort((short) -1);
        classic.putInt(Integer.MAX_VALUE).position(0);
        assertThat(guard.acceptsRequest(classic)).isFalse();
        ByteBuffer header = ByteBuffer.allocate(64);
        header.putShort(ApiKeys.METADATA.id).putShort((short) 9).putInt(1).putShort((short) -1);
        Varints.writeUnsigned(header, Integer.MAX_VALUE);
        header.position(0);
        assertThat(guard.acceptsRequest(header)).isFalse();
    }

    @Test
    void shouldRefuseWhatItDoesNotKnow() {
        ByteBuffer frame = ByteBuffer.allocate(64);
        assertThat(guard.acceptsRequest(frame.duplicate().putShort(0, (short) 9_999)))
                .isFalse();
        assertThat(guard.acceptsRequest(frame.duplicate().putShort(0, (short) -3)))
                .isFalse();
        assertThat(guard.acceptsRequest(frame.duplicate().putShort(0, (short) 3).putShort(2, (short) 99)))
                .isFalse();
        assertThat(guard.acceptsRequest(ByteBuffer.allocate(7))).isFalse();
        assertThat(guard.acceptsResponse(frame, (short) 3, (short) -1)).isFalse();
    }

    static ByteBuffer sample(Samples samples, ApiMessageType type, short version, boolean request) {
        Schema header = request
                ? RequestHeaderData.SCHEMAS[type.requestHeaderVersion(version)]
                : ResponseHeaderData.SCHEMAS[type.responseHeaderVersion(version)];
        ByteBuffer head = samples.bytes(header);
        ByteBuffer body = samples.bytes((request ? type.requestSchemas() : type.responseSchemas())[version]);
        ByteBuffer frame = ByteBuffer.allocate(head.remaining() + body.remaining());
        frame.put(head).put(body).flip();
        if (request) {
            frame.putShort(0, type.apiKey()).putShort(2, version);
        }
        return frame;
    }

    /** Through Kafka's reader, which must consume it whole, and back through Kafka's writer. */
    private static ByteBuffer rewrite(ByteBuffer frame, ApiMessageType type, short version, boolean request) {
        ByteBuffer in = frame.duplicate();
        ApiMessage body = read(in, type, version, request);
        assertThat(in.remaining()).as("%s v%d left over", type, version).isZero();
        ApiKeys api = ApiKeys.forId(type.apiKey());
        return request
                ? KafkaFrames.request(api, version, 7, "client", body)
                : KafkaFrames.response(api, version, 7, body);
    }

    private static ApiMessage read(ByteBuffer in, ApiMessageType type, short version, boolean request) {
        ByteBufferAccessor readable = new ByteBufferAccessor(in);
        ApiMessage body;
        if (request) {
            new RequestHeaderData(readable, type.requestHeaderVersion(version));
            body = type.newRequest();
        } else {
            new ResponseHeaderData(readable, type.responseHeaderVersion(version));
            body = type.newResponse();
        }
        body.read(readable, version);
        return body;
    }

    private static void readQuietly(ByteBuffer in, ApiMessageType type, short version, boolean request) {
        try {
            read(in, type, version, request);
        } catch (RuntimeException allowed) {
            // Kafka's readers may reject frames that the guard accepts; the guard only bounds memory.
        }
    }

    private static void mutate(ByteBuffer frame, Random random, int keepBytes) {
        for (int n = 1 + random.nextInt(2); n > 0; n--) {
            int left = frame.limit() - keepBytes;
            if (left < 5) {
                return;
            }
            int at = keepBytes + random.nextInt(left - 4);
            switch (random.nextInt(4)) {
                case 0 -> frame.putInt(at, Integer.MAX_VALUE - random.nextInt(3));
                case 1 -> frame.putInt(at, random.nextInt(1 << 24));
                case 2 -> frame.putShort(at, (short) random.nextInt());
                default -> frame.putInt(at, 0xfffffff0 | random.nextInt(16)).put(at + 4, (byte) 0x07);
            }
        }
    }
}
