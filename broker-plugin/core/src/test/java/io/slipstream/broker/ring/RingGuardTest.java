// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RingGuardTest {
    private static ByteBuffer header(int apiKey, int version, String clientId, int... rest) {
        ByteBuffer frame = ByteBuffer.allocate(100);
        frame.putShort((short) apiKey).putShort((short) version).putInt(1);
        frame.putShort((short) clientId.length()).put(clientId.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        for (int value : rest) {
            frame.put((byte) value);
        }
        return frame.flip();
    }

    @Test
    void shouldAcceptProduceHeaders() {
        assertThat(RingGuard.refusal(header(0, 3, "client"), false)).isNull();
        assertThat(RingGuard.refusal(header(0, 12, "client", 0), false)).isNull();
        assertThat(RingGuard.refusal(header(0, 12, "", 1, 5, 0), false)).isNull();
    }

    @Test
    void shouldAcceptWhatTheRingCarriesBesideProduce() {
        short heartbeat = 12;
        assertThat(RingGuard.refusal(header(heartbeat, 3, "client"), false)).isNull();
        assertThat(RingGuard.refusal(header(heartbeat, 4, "client", 0), false)).isNull();
        assertThat(RingGuard.refusal(header(heartbeat, 4, "client", 0xff, 0xff), false))
                .contains("tagged fields");
        assertThat(RingGuard.refusal(header(heartbeat, 99, "client", 0), false)).contains("api key 12 version 99");
    }

    @Test
    void shouldAcceptAFetchOnlyFromBrokers() {
        short fetch = 1;
        assertThat(RingGuard.refusal(header(fetch, 17, "broker", 0), true)).isNull();
        assertThat(RingGuard.refusal(header(fetch, 17, "broker", 0), false)).contains("api key 1");
        assertThat(RingGuard.refusal(header(fetch, 11, "broker"), true)).contains("api key 1 version 11");
        assertThat(RingGuard.refusal(header(fetch, 17, "broker", 0xff, 0xff), true))
                .contains("tagged fields");
    }

    @Test
    void shouldRefuseOtherApisAndClaimsOfManyTaggedFields() {
        assertThat(RingGuard.refusal(header(1, 12, "client", 0), false)).contains("api key 1");
        assertThat(RingGuard.refusal(header(0, 12, "client", 0xff, 0xff, 0xff, 0x7f), false))
                .contains("tagged fields");
        assertThat(RingGuard.refusal(header(0, 12, "client"), false)).contains("truncated");
    }

    @Test
    void shouldNeverThrow() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            if (bytes.length > 3) {
                bytes[0] = 0;
                bytes[1] = (byte) (random.nextBoolean() ? 0 : random.nextInt(100));
                bytes[2] = 0;
                bytes[3] = (byte) random.nextInt(14);
            }
            ByteBuffer frame = ByteBuffer.wrap(bytes);
            RingGuard.refusal(frame, false);
            assertThat(frame.position()).isZero();
        }
    }
}
