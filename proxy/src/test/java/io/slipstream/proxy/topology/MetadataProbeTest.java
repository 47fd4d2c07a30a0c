// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MetadataProbeTest {
    private static final short VERSION = 5;

    private final MetadataProbe probe = new MetadataProbe(10_000, false, null);
    private final EmbeddedChannel channel = new EmbeddedChannel(probe);

    @AfterEach
    void close() {
        ReferenceCountUtil.release(channel.readOutbound());
        channel.finishAndReleaseAll();
    }

    private void answer(ByteBuffer body) {
        ByteBuf frame = Unpooled.buffer();
        frame.writeInt(Integer.BYTES + body.remaining()).writeInt(1).writeBytes(body);
        channel.writeInbound(frame);
    }

    @Test
    void shouldTellTheBrokers() throws Exception {
        MetadataResponseData response = new MetadataResponseData().setClusterId("cluster");
        response.brokers()
                .add(new MetadataResponseBroker().setNodeId(7).setHost("broker").setPort(9092));

        answer(MessageUtil.toByteBufferAccessor(response, VERSION).buffer());

        assertThat(probe.answer.get().clusterId()).isEqualTo("cluster");
        assertThat(probe.answer.get().endpoints()).containsExactly(new BrokerEndpoint(7, "broker", 9092));
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void shouldNotReadAnAnswerThatClaimsMoreThanItHolds() {
        // No throttling, and a list of brokers as long as what follows it, of which none is there.
        answer(ByteBuffer.allocate(2 * Integer.BYTES + 100_000)
                .putInt(0)
                .putInt(100_000)
                .position(0));

        assertThatThrownBy(() -> probe.answer.get())
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("not a Metadata response");
        assertThat(channel.isOpen()).isFalse();
    }
}
