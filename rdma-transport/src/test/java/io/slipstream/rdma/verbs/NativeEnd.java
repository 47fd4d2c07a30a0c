// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;

/** One end of a connection with a region of memory, whose first pages hold its work requests and completions. */
final class NativeEnd implements AutoCloseable {
    static final int MEMORY_BYTES = 64 << 10;
    /** Start of the data. Before it are a send request, a receive request, their segments, and completions. */
    static final int DATA = 4096;

    static final int WRITE = 0;
    static final int WRITE_WITH_IMM = 1;
    static final int READ = 4;
    static final int ALL_ACCESS = 1 | 2 | 4;

    private static final int SEND_REQUEST = 0;
    private static final int RECEIVE_REQUEST = 128;
    private static final int SEND_SEGMENT = 160;
    private static final int COMPLETION = 192;
    private static final int SIGNALED = 2;
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(60);

    final long id;
    final long context;
    final long domain;
    final long completionChannel;
    final long completionQueue;
    final long queuePair;
    final long address;
    final ByteBuffer memory;
    final int[] keys = new int[2];
    private final NativeVerbs natives;
    private final long region;

    NativeEnd(NativeVerbs natives, long id) throws IOException {
        this.natives = natives;
        this.id = id;
        context = natives.contextOf(id);
        domain = natives.allocateProtectionDomain(context);
        completionChannel = natives.createCompletionChannel(context);
        completionQueue = natives.createCompletionQueue(context, completionChannel, 64);
        queuePair = natives.createQueuePair(id, domain, completionQueue, 32, 32, 2);
        address = natives.allocate(MEMORY_BYTES);
        memory = natives.bufferAt(address, MEMORY_BYTES).order(ByteOrder.nativeOrder());
        region = natives.registerMemory(domain, address, MEMORY_BYTES, ALL_ACCESS, keys);
    }

    /** Posts one request on local data at {@code DATA}. */
    int post(int opcode, int lengthBytes, int imm, NativeEnd target) {
        segment(SEND_SEGMENT, lengthBytes);
        memory.putLong(SEND_REQUEST, opcode)
                .putLong(SEND_REQUEST + 8, 0)
                .putLong(SEND_REQUEST + 16, address + SEND_SEGMENT)
                .putInt(SEND_REQUEST + 24, lengthBytes == 0 ? 0 : 1)
                .putInt(SEND_REQUEST + 28, opcode)
                .putInt(SEND_REQUEST + 32, SIGNALED)
                .putInt(SEND_REQUEST + 36, imm)
                .putLong(SEND_REQUEST + 40, target.address + DATA)
                .putInt(SEND_REQUEST + 48, target.keys[1]);
        return natives.postSend(queuePair, address + SEND_REQUEST);
    }

    int postReceive() {
        memory.putLong(RECEIVE_REQUEST, 77)
                .putLong(RECEIVE_REQUEST + 8, 0)
                .putLong(RECEIVE_REQUEST + 16, 0)
                .putInt(RECEIVE_REQUEST + 24, 0);
        return natives.postReceive(queuePair, address + RECEIVE_REQUEST);
    }

    private void segment(int at, int lengthBytes) {
        memory.putLong(at, address + DATA).putInt(at + 8, lengthBytes).putInt(at + 12, keys[0]);
    }

    /** Waits for one completion, whose fields are then available. Returns the status. */
    int awaitCompletion() throws IOException {
        long end = System.nanoTime() + DEADLINE_NS;
        while (natives.poll(completionQueue, 1, address + COMPLETION) == 0) {
            if (System.nanoTime() > end) {
                throw new AssertionError("no completion");
            }
            Thread.onSpinWait();
        }
        return memory.getInt(COMPLETION + 8);
    }

    long completedId() {
        return memory.getLong(COMPLETION);
    }

    int completedOpcode() {
        return memory.getInt(COMPLETION + 12);
    }

    int completedBytes() {
        return memory.getInt(COMPLETION + 20);
    }

    int completedImm() {
        return memory.getInt(COMPLETION + 24);
    }

    int completedQueuePair() {
        return memory.getInt(COMPLETION + 28);
    }

    @Override
    public void close() throws IOException {
        natives.destroyQueuePair(id);
        natives.deregisterMemory(region);
        natives.destroyId(id);
        natives.destroyCompletionQueue(completionQueue);
        natives.destroyCompletionChannel(completionChannel);
        natives.deallocateProtectionDomain(domain);
        natives.unmap(address, MEMORY_BYTES);
    }
}
