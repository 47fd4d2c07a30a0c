// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.client.TestProvider;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaListener;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A reader with its own device and queue pair over the {@code shm} provider, and the broker's end for the read side. It
 * executes one-sided operations one at a time on the test's thread.
 */
final class ReaderPeer implements AutoCloseable {
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(10);
    private static final int LANDING_BYTES = 4 << 20;
    private static final ByteBuffer NO_DATA = ByteBuffer.allocate(0);

    private final RdmaDevice brokerDevice;
    private final RdmaDevice device;
    private final ProtectionDomain brokerDomain;
    private final PinningDomain pinning;
    private final QueuePair brokerQueuePair;
    private final QueuePair queuePair;
    private final CompletionQueue completions;
    private final MemoryRegion landing;
    private final WorkRequest request = new WorkRequest();
    private final WorkCompletion[] completion = {new WorkCompletion()};

    ReaderPeer() throws Exception {
        brokerDevice = TestProvider.get().open(DeviceConfig.DEFAULT);
        device = TestProvider.get().open(DeviceConfig.DEFAULT);
        brokerDomain = brokerDevice.createProtectionDomain();
        pinning = new PinningDomain(brokerDomain);
        ProtectionDomain domain = device.createProtectionDomain();
        completions = device.createCompletionQueue(16);
        landing = domain.allocate(LANDING_BYTES, Set.of());
        QueuePairConfig brokerConfig =
                new QueuePairConfig(brokerDomain, brokerDevice.createCompletionQueue(16), 4, 4, (ended, why) -> {});
        CompletableFuture<QueuePair> accepted = new CompletableFuture<>();
        Path directory = Files.createTempDirectory("slr");
        try (RdmaListener listener = brokerDevice.listen(
                TestProvider.address(directory.resolve("s")),
                asked -> asked.accept(brokerConfig).thenAccept(accepted::complete))) {
            queuePair = device.connect(
                            listener.address(),
                            new QueuePairConfig(domain, completions, 4, 4, (ended, why) -> {}),
                            NO_DATA,
                            DEADLINE_NS)
                    .toCompletableFuture()
                    .get(DEADLINE_NS, TimeUnit.NANOSECONDS);
        }
        Files.delete(directory);
        brokerQueuePair = accepted.get(DEADLINE_NS, TimeUnit.NANOSECONDS);
    }

    ProtectionDomain brokerDomain() {
        return brokerDomain;
    }

    /** Returns the broker's domain as one that pins files. */
    PinningDomain pinning() {
        return pinning;
    }

    QueuePair brokerQueuePair() {
        return brokerQueuePair;
    }

    /** Returns the bytes that the broker has registered for this reader now. */
    long registeredBytes() {
        return brokerDomain.registeredBytes();
    }

    /** The reader is stopped in the middle of an operation ({@code enter}), or continues ({@code leave}). */
    void stopInside(boolean isStopped) throws ReflectiveOperationException {
        Object sendQueue = field(queuePair, "sendQueue");
        // As in a post: first what this process sees, then what the broker sees.
        for (String part : new String[] {"activity", "peer"}) {
            Object marks = field(sendQueue, part);
            Method step = marks.getClass().getDeclaredMethod(isStopped ? "enter" : "leave");
            step.setAccessible(true);
            step.invoke(marks);
        }
    }

    private static Object field(Object owner, String name) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }

    /** Executes a READ. The buffer is valid until the next operation. */
    ByteBuffer read(RemoteMemory memory, long offset, int lengthBytes) {
        CompletionStatus status = tryRead(memory, offset, lengthBytes);
        assertThat(status)
                .as("READ of %d at %d of %s", lengthBytes, offset, memory)
                .isEqualTo(CompletionStatus.SUCCESS);
        return landing.buffer().duplicate().limit(lengthBytes);
    }

    /** Executes a READ and returns its status. A failure ends the queue pair. */
    CompletionStatus tryRead(RemoteMemory memory, long offset, int lengthBytes) {
        assertThat(lengthBytes).isLessThanOrEqualTo(LANDING_BYTES);
        return operate(Opcode.READ, memory, offset, lengthBytes);
    }

    /** Executes a WRITE of one 8-byte word. */
    void write(RemoteMemory memory, long offset, long word) {
        landing.buffer().putLong(0, word);
        assertThat(operate(Opcode.WRITE, memory, offset, Long.BYTES)).isEqualTo(CompletionStatus.SUCCESS);
    }

    private CompletionStatus operate(Opcode opcode, RemoteMemory memory, long offset, int lengthBytes) {
        request.wrId++;
        request.opcode = opcode;
        request.remoteAddress = memory.address() + offset;
        request.rkey = memory.rkey();
        request.clearSegments().addSegment(landing.lkey(), landing.address(), lengthBytes);
        assertThat(queuePair.post(request)).isEqualTo(PostStatus.POSTED);
        long deadlineNs = System.nanoTime() + DEADLINE_NS;
        while (completions.poll(completion) == 0) {
            assertThat(System.nanoTime() - deadlineNs)
                    .as("waiting for a completion")
                    .isNegative();
            Thread.onSpinWait();
        }
        return completion[0].status;
    }

    @Override
    public void close() throws IOException {
        device.close();
        brokerDevice.close();
    }
}
