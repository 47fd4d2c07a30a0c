package io.slipstream.broker.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class RingReplyTest {
    /** Replies share one buffer: what is written outside of it is another's header, or lacks here. */
    @Test
    void shouldWriteAPositionWhereItBelongs() {
        RingReply reply = RingReply.ofPosition(null, 5_282_717);
        ByteBuffer ring = ByteBuffer.allocate(128);

        reply.writeTo(ring.limit(36 + reply.payloadBytes()).position(36));

        ring.clear().order(ByteOrder.LITTLE_ENDIAN);
        assertThat(ring.getInt(36)).isEqualTo(5_282_717);
        ring.putInt(36, 0);
        assertThat(ring.array()).containsOnly(0);
    }
}
