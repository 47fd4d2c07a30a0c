// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PooledMemoryTest {
    private static final int ROUNDS = 200_000;

    @Test
    void shouldShowTheBytesOfSlicesOfAnyBuffer() {
        CompositeByteBuf composite = Unpooled.compositeBuffer()
                .addComponent(true, Unpooled.copyInt(1, 2, 3))
                .addComponent(true, Unpooled.copyInt(4, 5, 6, 7, 8, 9));
        for (ByteBuf buffer : List.of(
                filled(PooledMemory.ALLOCATOR.directBuffer(100)),
                filled(PooledMemory.ALLOCATOR.heapBuffer(100)),
                filled(ByteBufAllocator.DEFAULT.directBuffer(100)),
                filled(Unpooled.directBuffer(100)),
                filled(Unpooled.buffer(100)),
                composite)) {
            ByteBuf slice = buffer.slice(4, 28).slice(4, 20).skipBytes(4);
            assertThat(PooledMemory.view(slice)).isEqualTo(slice.nioBuffer());
            assertThat(PooledMemory.view(slice, 8, 4)
                            .getInt(PooledMemory.view(slice, 8, 4).position()))
                    .isEqualTo(5);
            buffer.release();
        }
    }

    private static ByteBuf filled(ByteBuf buffer) {
        for (int i = 1; i <= 9; i++) {
            buffer.writeInt(i);
        }
        return buffer;
    }

    @Test
    void shouldCutAndShowWithoutAllocating() throws InterruptedException {
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        AtomicLong allocated = new AtomicLong();
        // Netty pools objects only for threads of its own class.
        Thread loop = new FastThreadLocalThread(() -> {
            cutAndShow();
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long id = Thread.currentThread().getId();
            long before = threads.getThreadAllocatedBytes(id);
            cutAndShow();
            allocated.set(threads.getThreadAllocatedBytes(id) - before);
        });
        try {
            loop.start();
            loop.join();
        } finally {
            ResourceLeakDetector.setLevel(level);
        }
        assertThat(allocated.get() / ROUNDS).as("bytes each round").isZero();
    }

    private static void cutAndShow() {
        for (int i = 0; i < ROUNDS; i++) {
            ByteBuf read =
                    PooledMemory.ALLOCATOR.directBuffer(4096).writeLong(i).writeLong(i);
            ByteBuf frame = read.readRetainedSlice(8);
            ByteBuf payload = frame.retainedSlice(4, 4);
            if (PooledMemory.view(payload).remaining() != 4) {
                throw new IllegalStateException();
            }
            payload.release();
            frame.release();
            read.release();
        }
    }
}
