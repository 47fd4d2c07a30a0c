// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ProduceGuardTest {
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
        assertThat(ProduceGuard.refusal(header(0, 3, "client"))).isNull();
        assertThat(ProduceGuard.refusal(header(0, 12, "client", 0))).isNull();
        assertThat(ProduceGuard.refusal(header(0, 12, "", 1, 5, 0))).isNull();
    }

    @Test
    void shouldRefuseOtherApisAndClaimsOfManyTaggedFields() {
        assertThat(ProduceGuard.refusal(header(1, 12, "client", 0))).contains("api key 1");
        assertThat(ProduceGuard.refusal(header(0, 12, "client", 0xff, 0xff, 0xff, 0x7f)))
                .contains("tagged fields");
        assertThat(ProduceGuard.refusal(header(0, 12, "client"))).contains("truncated");
    }

    @Test
    void shouldNeverThrow() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            if (bytes.length > 1) {
                bytes[0] = 0;
                bytes[1] = 0;
            }
            ByteBuffer frame = ByteBuffer.wrap(bytes);
            ProduceGuard.refusal(frame);
            assertThat(frame.position()).isZero();
        }
    }
}
