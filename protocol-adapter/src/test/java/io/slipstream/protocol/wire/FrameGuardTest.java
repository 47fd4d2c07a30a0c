// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.Allocation;
import io.slipstream.protocol.KafkaFrames;
import io.slipstream.protocol.Seeds;
import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.utils.internals.ByteUtils;
import org.junit.jupiter.api.Test;

class FrameGuardTest {
    private static final int SAMPLES = 8;

    private final FrameGuard guard = new FrameGuard();

    private interface FrameTest {
        void run(ApiMessageType type, short version) throws Exception;
    }

    /** Every response type in every version. */
    private static int forAll(FrameTest test) throws Exception {
        int schemas = 0;
        for (ApiMessageType type : ApiMessageType.values()) {
            for (int v = type.lowestSupportedVersion(); v <= type.highestSupportedVersion(true); v++) {
                test.run(type, (short) v);
                schemas++;
            }
        }
        return schemas;
    }

    private boolean accepts(ByteBuffer frame, ApiMessageType type, short version) {
        return guard.acceptsResponse(frame, type.apiKey(), version);
    }

    @Test
    void shouldAcceptWhatKafkaWritesForEveryTypeAndVersion() throws Exception {
        Random random = Seeds.random("shouldAcceptWhatKafkaWritesForEveryTypeAndVersion");
        Samples samples = new Samples(random);
        int schemas = forAll((type, version) -> {
            for (int i = 0; i < SAMPLES; i++) {
                ByteBuffer frame = sample(samples, type, version);
                assertThat(accepts(frame, type, version))
                        .as("%s v%d as a struct", type, version)
                        .isTrue();
                ByteBuffer rewritten = rewrite(frame, type, version);
                assertThat(accepts(rewritten, type, version))
                        .as("%s v%d by Kafka's writer", type, version)
                        .isTrue();
                assertThat(rewritten.position()).isZero();
            }
        });
        assertThat(schemas).isGreaterThan(200);
    }

    @Test
    void shouldAcceptDefaultMessages() throws Exception {
        forAll((type, version) -> {
            ApiKeys api = ApiKeys.forId(type.apiKey());
            ByteBuffer frame = KafkaFrames.response(api, version, 1, type.newResponse());
            assertThat(accepts(frame, type, version))
                    .as("%s v%d", type, version)
                    .isTrue();
        });
    }

    @Test
    void shouldBoundWhatKafkasReadersAllocateAndAllocateNothingItself() throws Exception {
        Random random = Seeds.random("shouldBoundWhatKafkasReadersAllocateAndAllocateNothingItself");
        Samples samples = new Samples(random);
        int[] refused = new int[1];
        forAll((type, version) -> {
            ByteBuffer frame = sample(samples, type, version);
            for (int i = 0; i < 40; i++) {
                ByteBuffer mutant = ByteBuffer.allocate(frame.limit())
                        .put(frame.duplicate())
                        .flip();
                mutate(mutant, random);
                if (!accepts(mutant, type, version)) {
                    refused[0]++;
                    continue;
                }
                long allocated = Allocation.bytesOf(() -> readQuietly(mutant.duplicate(), type, version));
                // Apart from class loading and exceptions, an element costs at most some hundred bytes of objects per
                // byte.
                assertThat(allocated)
                        .as("%s v%d, %d bytes", type, version, mutant.limit())
                        .isLessThan(2_000_000 + 500L * mutant.limit());
            }
            Runnable check = () -> accepts(frame, type, version);
            check.run();
            assertThat(Allocation.bytesOf(check)).isLessThan(100);
        });
        assertThat(refused[0]).isGreaterThan(1_000);
    }

    @Test
    void shouldRefuseCountsThatTheBytesCannotHold() {
        // Metadata v9: header v1 without tagged fields, throttle time, then a compact array of 2^28 brokers in 5 bytes.
        ByteBuffer bomb = ByteBuffer.allocate(32).putInt(1).put((byte) 0).putInt(0);
        ByteUtils.writeUnsignedVarint(1 << 28, bomb);
        assertThat(guard.acceptsResponse(bomb.position(0), ApiKeys.METADATA.id, (short) 9))
                .isFalse();

        // The same as a classic array, and tagged fields in a header.
        ByteBuffer classic = ByteBuffer.allocate(32).putInt(1).putInt(Integer.MAX_VALUE);
        assertThat(guard.acceptsResponse(classic.position(0), ApiKeys.METADATA.id, (short) 1))
                .isFalse();
        ByteBuffer header = ByteBuffer.allocate(64).putInt(1);
        ByteUtils.writeUnsignedVarint(Integer.MAX_VALUE, header);
        assertThat(guard.acceptsResponse(header.position(0), ApiKeys.METADATA.id, (short) 9))
                .isFalse();
    }

    @Test
    void shouldRefuseWhatItDoesNotKnow() {
        ByteBuffer frame = ByteBuffer.allocate(64);
        assertThat(guard.acceptsResponse(frame, (short) 9_999, (short) 0)).isFalse();
        assertThat(guard.acceptsResponse(frame, (short) -3, (short) 0)).isFalse();
        assertThat(guard.acceptsResponse(frame, (short) 3, (short) 99)).isFalse();
        assertThat(guard.acceptsResponse(frame, (short) 3, (short) -1)).isFalse();
        assertThat(guard.acceptsResponse(ByteBuffer.allocate(3), (short) 3, (short) 9))
                .isFalse();
    }

    static ByteBuffer sample(Samples samples, ApiMessageType type, short version) {
        ByteBuffer head = samples.bytes(ResponseHeaderData.SCHEMAS[type.responseHeaderVersion(version)]);
        ByteBuffer body = samples.bytes(type.responseSchemas()[version]);
        return ByteBuffer.allocate(head.remaining() + body.remaining())
                .put(head)
                .put(body)
                .flip();
    }

    /** Through Kafka's reader, which must consume it whole, and back through Kafka's writer. */
    private static ByteBuffer rewrite(ByteBuffer frame, ApiMessageType type, short version) {
        ByteBuffer in = frame.duplicate();
        ApiMessage body = read(in, type, version);
        assertThat(in.remaining()).as("%s v%d left over", type, version).isZero();
        return KafkaFrames.response(ApiKeys.forId(type.apiKey()), version, 7, body);
    }

    private static ApiMessage read(ByteBuffer in, ApiMessageType type, short version) {
        ByteBufferAccessor readable = new ByteBufferAccessor(in);
        new ResponseHeaderData(readable, type.responseHeaderVersion(version));
        ApiMessage body = type.newResponse();
        body.read(readable, version);
        return body;
    }

    private static void readQuietly(ByteBuffer in, ApiMessageType type, short version) {
        try {
            read(in, type, version);
        } catch (RuntimeException allowed) {
            // Kafka's readers may reject frames that the guard accepts; the guard only bounds memory.
        }
    }

    private static void mutate(ByteBuffer frame, Random random) {
        for (int n = 1 + random.nextInt(2); n > 0; n--) {
            int left = frame.limit() - Integer.BYTES;
            if (left < 5) {
                return;
            }
            int at = Integer.BYTES + random.nextInt(left - 4);
            switch (random.nextInt(4)) {
                case 0 -> frame.putInt(at, Integer.MAX_VALUE - random.nextInt(3));
                case 1 -> frame.putInt(at, random.nextInt(1 << 24));
                case 2 -> frame.putShort(at, (short) random.nextInt());
                default -> frame.putInt(at, 0xfffffff0 | random.nextInt(16)).put(at + 4, (byte) 0x07);
            }
        }
    }
}
