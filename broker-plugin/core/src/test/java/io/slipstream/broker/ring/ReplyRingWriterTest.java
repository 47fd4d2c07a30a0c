// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.rdma.MemoryRegion;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class ReplyRingWriterTest {
    private static final int SEND_DEPTH = 8;
    private static final int RING_BYTES = 1024;

    private int posts;
    private final ReplyRingWriter replies = new ReplyRingWriter(
            new StubQueuePair(request -> posts++), SEND_DEPTH, region(), region(), new RemoteMemory(0, RING_BYTES, 1));

    private static MemoryRegion region() {
        return new StubRegion(ByteBuffer.allocateDirect(RING_BYTES));
    }

    private int postAll() {
        int before = posts;
        while (replies.hasSendSlot()) {
            replies.postDoorbell(1);
        }
        return posts - before;
    }

    @Test
    void shouldPostNoMoreThanTheSendQueueHolds() {
        assertThat(postAll()).isEqualTo(SEND_DEPTH);
        replies.onSendCompleted(3);
        replies.onSendCompleted(1);
        assertThat(postAll()).as("after an older completion").isEqualTo(3);
    }
}
