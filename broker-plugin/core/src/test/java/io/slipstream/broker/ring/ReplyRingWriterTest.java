// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.QueuePair;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class ReplyRingWriterTest {
    private static final int SEND_DEPTH = 8;
    private static final int RING_BYTES = 1024;

    private int posts;
    private final ReplyRingWriter replies = new ReplyRingWriter(
            stub(QueuePair.class), SEND_DEPTH, region(), region(), new RemoteMemory(0, RING_BYTES, 1));

    /** Counts posts, and does nothing else. */
    @SuppressWarnings("unchecked")
    private <T> T stub(Class<T> type) {
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            posts += method.getName().equals("post") ? 1 : 0;
            return switch (method.getName()) {
                case "post", "address" -> 0L;
                case "lkey" -> 1;
                case "buffer" -> ByteBuffer.allocateDirect(RING_BYTES).order(ByteOrder.LITTLE_ENDIAN);
                default -> throw new UnsupportedOperationException(method.getName());
            };
        });
    }

    private MemoryRegion region() {
        return stub(MemoryRegion.class);
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
