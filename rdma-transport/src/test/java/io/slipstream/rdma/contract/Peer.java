// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.QueuePairState;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** One side of a test: a device with a protection domain, a completion queue and, once connected, a queue pair. */
public final class Peer implements AutoCloseable {
    public static final int DEPTH = 16;
    static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(10);
    private static final int BUFFER_BYTES = 64 * 1024;

    public final RdmaDevice device;
    public final ProtectionDomain domain;
    public final CompletionQueue completions;
    /** Local memory: source and destination of operations. */
    public final MemoryRegion local;

    public final AtomicInteger disconnects = new AtomicInteger();
    public final AtomicReference<String> disconnectReason = new AtomicReference<>();
    public QueuePair queuePair;
    private final WorkCompletion[] one = {new WorkCompletion()};
    private final WorkRequest request = new WorkRequest();

    public Peer(RdmaDevice device) throws IOException {
        this(device, DEPTH * 64);
    }

    public Peer(RdmaDevice device, int completionCapacity) throws IOException {
        this.device = device;
        this.domain = device.createProtectionDomain();
        this.completions = device.createCompletionQueue(completionCapacity);
        this.local = domain.allocate(BUFFER_BYTES, Set.of());
    }

    public QueuePairConfig config() {
        return config(DEPTH, DEPTH);
    }

    public QueuePairConfig config(int sendDepth, int receiveDepth) {
        return new QueuePairConfig(domain, completions, sendDepth, receiveDepth, (ended, reason) -> {
            disconnectReason.compareAndSet(null, reason);
            disconnects.incrementAndGet();
        });
    }

    public MemoryRegion region(int lengthBytes, Access... access) throws IOException {
        Set<Access> granted = EnumSet.noneOf(Access.class);
        granted.addAll(Set.of(access));
        return domain.allocate(lengthBytes, granted);
    }

    /** Allocates, and exports over this side's queue pair. */
    public MemoryRegion exported(int lengthBytes, Access... access) throws Exception {
        MemoryRegion region = region(lengthBytes, access);
        export(region);
        return region;
    }

    public void export(MemoryRegion region) throws Exception {
        queuePair.export(region).toCompletableFuture().get(DEADLINE_NS, TimeUnit.NANOSECONDS);
    }

    /** A reused request: one segment of local memory from its start, against the start of a remote region. */
    public WorkRequest request(Opcode opcode, MemoryRegion remote, int lengthBytes) {
        request.wrId++;
        request.opcode = opcode;
        request.signaled = true;
        request.imm = 0;
        request.remoteAddress = remote == null ? 0 : remote.address();
        request.rkey = remote == null ? 0 : remote.rkey();
        request.clearSegments();
        if (lengthBytes > 0) {
            request.addSegment(local.lkey(), local.address(), lengthBytes);
        }
        return request;
    }

    public void postReceives(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(queuePair.postReceive(i)).isZero();
        }
    }

    /** Tells the other side the address and the key of a region, which it learns with {@link #hear}. */
    public void tell(MemoryRegion region) {
        for (int word : new int[] {(int) (region.address() >>> Integer.SIZE), (int) region.address(), region.rkey()}) {
            request(Opcode.WRITE_WITH_IMM, null, 0).imm = word;
            assertThat(queuePair.post(request)).isZero();
            awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
        }
    }

    /** Returns a reused request against the start of the region that the other side tells. */
    public WorkRequest hear(Opcode opcode, int lengthBytes) {
        int[] words = new int[3];
        postReceives(words.length);
        for (int i = 0; i < words.length; i++) {
            words[i] = awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS).imm;
        }
        request(opcode, null, lengthBytes).remoteAddress =
                (long) words[0] << Integer.SIZE | Integer.toUnsignedLong(words[1]);
        request.rkey = words[2];
        return request;
    }

    /** Polls until a completion arrives; the holder is reused by the next call. */
    public WorkCompletion awaitCompletion() {
        long deadlineNs = System.nanoTime() + DEADLINE_NS;
        while (completions.poll(one) == 0) {
            assertThat(System.nanoTime() - deadlineNs)
                    .as("waiting for a completion")
                    .isNegative();
            Thread.onSpinWait();
        }
        return one[0];
    }

    public WorkCompletion awaitCompletion(Opcode opcode, CompletionStatus status) {
        WorkCompletion completion = awaitCompletion();
        assertThat(completion.status).as(completion.toString()).isEqualTo(status);
        assertThat(completion.opcode).as(completion.toString()).isEqualTo(opcode);
        assertThat(completion.qpNumber).isEqualTo(queuePair.number());
        return completion;
    }

    /** No completion is available right now. */
    public void assertNoCompletion() {
        assertThat(completions.poll(one)).as(one[0].toString()).isZero();
    }

    public void awaitError() {
        long deadlineNs = System.nanoTime() + DEADLINE_NS;
        while (queuePair.state() == QueuePairState.CONNECTED) {
            assertThat(System.nanoTime() - deadlineNs).as("waiting for ERROR").isNegative();
            Thread.onSpinWait();
        }
    }

    /** Likewise, for errors that are visible only in completions. */
    public void awaitErrorPolling() {
        long deadlineNs = System.nanoTime() + 3 * DEADLINE_NS;
        while (queuePair.state() == QueuePairState.CONNECTED) {
            completions.poll(one);
            assertThat(System.nanoTime() - deadlineNs).as("waiting for ERROR").isNegative();
            Thread.onSpinWait();
        }
    }

    public void awaitDisconnect() {
        long deadlineNs = System.nanoTime() + DEADLINE_NS;
        while (disconnects.get() == 0) {
            assertThat(System.nanoTime() - deadlineNs)
                    .as("waiting for the listener")
                    .isNegative();
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        device.close();
    }
}
