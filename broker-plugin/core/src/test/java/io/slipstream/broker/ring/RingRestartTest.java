// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.protocol.ring.RingSpace;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** Laps that begin early, in the request ring and in the reply ring. */
class RingRestartTest {
    private static final int RING_BYTES = 1 << 20;
    private static final int PAYLOAD_BYTES = 1000;

    private final ByteBuffer memory = little(RING_BYTES);
    private final RequestRingReader requests =
            new RequestRingReader(memory, ByteBuffer.allocateDirect(RING_BYTES), 256, id -> null);
    private final RingSpace writer = new RingSpace(RING_BYTES);
    private final ByteBuffer controlWord = little(Long.BYTES);
    private final ReplyRingWriter replies = new ReplyRingWriter(
            new StubQueuePair(request -> lastReplyAt = request.remoteAddress),
            16,
            new StubRegion(little(RING_BYTES)),
            new StubRegion(controlWord),
            new RemoteMemory(0, RING_BYTES, 1));
    private long sequence;
    private long lastReplyAt;
    private long farthestReplyAt;
    private long consumedBytes;

    @Test
    void shouldTakeRequestsThatStayInTheFirstPages() {
        writer.restartWhenEmpty();
        for (int i = 0; i < 1000; i++) {
            RingFrameIn frame = write();
            requests.onAnswered(frame);
            frame.releaseBytes();
            writer.release(requests.released());
            assertThat(frame.start & (RING_BYTES - 1)).isLessThan(RingFrame.RESTART_BYTES);
        }
        assertThat(requests.isDrained()).isTrue();
    }

    /** A correct writer does not know that the ring is empty before the broker has released all of it. */
    @Test
    void shouldRefuseAnEarlyLapBehindUnreleasedFrames() {
        writer.restartWhenEmpty();
        while (writer.head() < RingFrame.RESTART_BYTES) {
            RingFrameIn frame = write();
            requests.onAnswered(frame);
            frame.releaseBytes();
        }
        write();
        writer.release(writer.head());
        assertThatThrownBy(this::write)
                .isInstanceOf(IllegalFrameException.class)
                .hasMessageContaining("begins early");
    }

    @Test
    void shouldKeepRepliesInTheFirstPagesOnceTheProxyKnowsThat() {
        postReplies(2000, true);
        assertThat(farthestReplyAt).as("before").isGreaterThan(RingFrame.RESTART_BYTES);
        replies.space.restartWhenEmpty();
        postReplies(1, true);
        farthestReplyAt = 0;
        postReplies(5000, true);
        assertThat(farthestReplyAt).as("consumed").isLessThan(RingFrame.RESTART_BYTES);
        postReplies(2000, false);
        assertThat(farthestReplyAt).as("not consumed").isGreaterThan(RingFrame.RESTART_BYTES);
    }

    private void postReplies(int count, boolean consumed) {
        for (int i = 0; i < count; i++) {
            assertThat(replies.tryPostThrottle(1, true, 0)).isTrue();
            replies.onSendCompleted(replies.posted);
            farthestReplyAt = Math.max(farthestReplyAt, lastReplyAt);
            if (consumed) {
                consumedBytes = endOf(lastReplyAt);
                controlWord.putLong(0, consumedBytes);
            }
        }
    }

    /** Returns the cumulative position behind the frame that was last written at that offset. */
    private long endOf(long offset) {
        long end = consumedBytes / RING_BYTES * RING_BYTES + offset + RingFrame.ALIGNMENT;
        return end > consumedBytes ? end : end + RING_BYTES;
    }

    private RingFrameIn write() {
        long start = writer.tryClaim(RingFrame.frameBytes(PAYLOAD_BYTES));
        RingFrame.encodeHeader(memory, (int) (start & (RING_BYTES - 1)), 0, sequence++, 1, PAYLOAD_BYTES, 0);
        return requests.take(null, RingFrame.immOf(start));
    }

    private static ByteBuffer little(int sizeBytes) {
        return ByteBuffer.allocateDirect(sizeBytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
