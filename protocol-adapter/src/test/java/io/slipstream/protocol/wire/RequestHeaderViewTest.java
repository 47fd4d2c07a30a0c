// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.KafkaFrames;
import io.slipstream.protocol.Seeds;
import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.junit.jupiter.api.Test;

class RequestHeaderViewTest {
    private final RequestHeaderView view = new RequestHeaderView();

    @Test
    void shouldReadTheHeaderOfEveryApiAndVersionAsKafkaDoes() {
        Samples samples = new Samples(Seeds.random("RequestHeaderViewTest"));
        for (ApiMessageType type : ApiMessageType.values()) {
            for (short v = type.lowestSupportedVersion(); v <= type.highestSupportedVersion(true); v++) {
                ByteBuffer frame = sample(samples, type, v);
                ByteBuffer in = frame.duplicate();
                RequestHeaderData header =
                        new RequestHeaderData(new ByteBufferAccessor(in), type.requestHeaderVersion(v));
                // A frame may lie anywhere in a larger buffer.
                ByteBuffer shifted = ByteBuffer.allocate(frame.limit() + 9);
                shifted.position(9);
                shifted.put(frame.duplicate()).position(9);

                assertThat(view.wrap(shifted)).isTrue();
                assertThat(view.apiVersion).isEqualTo(v);
                assertThat(view.correlationId).isEqualTo(header.correlationId());
                assertThat(view.clientId()).isEqualTo(header.clientId());
                assertThat(view.flexible).isEqualTo(type.requestHeaderVersion(v) >= 2);
                assertThat(view.bodyPosition).isEqualTo(9 + in.position());
                assertThat(shifted.position()).isEqualTo(9);
            }
        }
    }

    private static ByteBuffer sample(Samples samples, ApiMessageType type, short version) {
        ByteBuffer head = samples.bytes(RequestHeaderData.SCHEMAS[type.requestHeaderVersion(version)]);
        ByteBuffer body = samples.bytes(type.requestSchemas()[version]);
        ByteBuffer frame = ByteBuffer.allocate(head.remaining() + body.remaining());
        frame.put(head).put(body).flip();
        return frame.putShort(0, type.apiKey()).putShort(2, version);
    }

    @Test
    void shouldReadThePrefixOfUnknownKeysAndVersions() {
        for (short[] api : new short[][] {{9_999, 0}, {-1, 0}, {3, 99}, {0, 2}, {18, 77}, {4, 0}}) {
            ByteBuffer frame = ByteBuffer.allocate(8);
            frame.putShort(0, api[0]).putShort(2, api[1]).putInt(4, 77);
            assertThat(view.wrap(frame)).isTrue();
            assertThat(view.apiVersion).isEqualTo(api[1]);
            assertThat(view.correlationId).isEqualTo(77);
            assertThat(view.clientId()).isNull();
            assertThat(view.bodyPosition).isEqualTo(-1);
        }
    }

    @Test
    void shouldSurviveAnyBytes() {
        Random random = Seeds.random("shouldSurviveAnyBytes");
        for (int i = 0; i < 50_000; i++) {
            byte[] bytes = new byte[random.nextInt(24)];
            random.nextBytes(bytes);
            ByteBuffer frame = ByteBuffer.wrap(bytes);
            if (bytes.length >= 4) {
                frame.putShort(0, (short) random.nextInt(80)).putShort(2, (short) random.nextInt(12));
            }
            assertThat(view.wrap(frame)).isEqualTo(bytes.length >= 8);
            if (bytes.length >= 8 && view.clientId() != null) {
                assertThat(view.clientId().length()).isLessThanOrEqualTo(bytes.length - 10);
            }
            assertThat(view.bodyPosition).isLessThanOrEqualTo(bytes.length);
        }
    }

    @Test
    void shouldGiveNoBodyIfTheClientIdDoesNotFit() {
        ByteBuffer frame =
                KafkaFrames.request(ApiKeys.METADATA, (short) 1, 5, "abc", ApiMessageType.METADATA.newRequest());
        frame.putShort(8, (short) 3_000);
        assertThat(view.wrap(frame)).isTrue();
        assertThat(view.clientId()).isNull();
        assertThat(view.bodyPosition).isEqualTo(-1);
    }

    @Test
    void shouldSkipTagsOfAnyNumberThatKafkaReads() {
        ByteBuffer plain =
                KafkaFrames.request(ApiKeys.METADATA, (short) 9, 5, "abc", ApiMessageType.METADATA.newRequest());
        int tagsPosition = 8 + 2 + 3;
        byte[][] tags = {{7}, {(byte) 0xff, 0x7f}, {-1, -1, -1, -1, 7}, {-5, -1, -1, -1, 9}, {-1, -1, -1, -1, 0x7f}};
        for (byte[] tag : tags) {
            ByteBuffer frame = ByteBuffer.allocate(plain.limit() + tag.length + 1);
            frame.put(plain.duplicate().limit(tagsPosition))
                    .put((byte) 1)
                    .put(tag)
                    .put((byte) 0);
            frame.put(plain.duplicate().position(tagsPosition + 1)).flip();
            ByteBuffer in = frame.duplicate();
            new RequestHeaderData(new ByteBufferAccessor(in), (short) 2);

            assertThat(view.wrap(frame)).isTrue();
            assertThat(view.bodyPosition).isEqualTo(in.position());
        }
    }
}
