// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.IllegalReferenceCountException;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaProvider;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RegisteredReadMemoryTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final int SIZE = 1 << 16;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final EventLoop loop = group.next();
    private RdmaDevice device;
    private MemoryRegion region;
    private RegisteredReadMemory memory;

    @BeforeEach
    void register() throws IOException {
        device = RdmaProvider.named("shm").orElseThrow().open(DeviceConfig.DEFAULT);
        ProtectionDomain domain = device.createProtectionDomain();
        region = domain.allocate(SIZE, Set.of());
        memory = new RegisteredReadMemory(loop, region, Runnable::run);
    }

    @AfterEach
    void close() {
        device.close();
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private <T> T on(Callable<T> step) {
        try {
            return loop.submit(step).get(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldGiveBuffersWithinTheRegionUnderItsKeyAndUseTheSameOnesAgain() {
        on(() -> {
            ByteBuf buffer = memory.take(5000);
            assertThat(memory.localKey()).isEqualTo(region.lkey());
            assertThat(buffer.capacity()).isEqualTo(8192);
            assertThat(buffer.memoryAddress()).isBetween(region.address(), region.address() + SIZE - 8192);
            buffer.writeInt(0x01020304).readByte();
            int offset = (int) (buffer.memoryAddress() - region.address());
            assertThat(region.buffer().get(offset)).isEqualTo((byte) 1);
            assertThat(memory.bytesOf(buffer).getInt(0)).isEqualTo(0x01020304);
            assertThat(memory.usedBytes()).isEqualTo(8192);
            ByteBuf slice = buffer.retainedSlice(0, 4);
            buffer.release();
            assertThat(memory.usedBytes()).isEqualTo(8192);
            slice.release();
            assertThat(memory.usedBytes()).isZero();
            assertThatThrownBy(buffer::memoryAddress).isInstanceOf(IllegalReferenceCountException.class);
            assertThatThrownBy(buffer::release).isInstanceOf(IllegalReferenceCountException.class);
            ByteBuf again = memory.take(8192);
            assertThat(again).isSameAs(buffer);
            assertThat(again.refCnt()).isEqualTo(1);
            assertThat(again.readerIndex()).isZero();
            assertThat(again.writerIndex()).isZero();
            return again.release();
        });
    }

    @Test
    void shouldAnswerNullWhenAllIsInUseAndTakeBackFromAnyThread() {
        ByteBuf all = on(() -> memory.take(SIZE));
        assertThat(on(() -> memory.take(1) == null)).isTrue();
        all.release();
        await().atMost(SOON).until(() -> memory.usedBytes() == 0);
        on(() -> memory.take(SIZE)).release();
        assertThat(on(() -> memory.take(SIZE + 1) == null)).isTrue();
    }

    @Test
    void shouldStayRegisteredUntilTheLastBufferIsBack() {
        ByteBuf buffer = on(() -> memory.take(1));
        CompletableFuture<Void> closed = on(memory::close);
        assertThat(closed).isNotDone();
        assertThat(region.isRegistered()).isTrue();
        assertThat(on(() -> memory.take(1) == null)).as("closed").isTrue();
        buffer.release();
        await().atMost(SOON).until(closed::isDone);
        assertThat(region.isRegistered()).isFalse();
    }
}
