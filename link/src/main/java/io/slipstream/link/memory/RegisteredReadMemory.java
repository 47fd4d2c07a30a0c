// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.memory;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.slipstream.rdma.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The registered memory of one event loop: one region, one local key, blocks of power-of-two sizes. A block stays in
 * use until it is released, after it was written to the client's socket. Data for slow clients therefore counts as in
 * use. When no block is free, {@link #take} returns null and the Fetch takes TCP.
 *
 * <p>The owner of an outstanding READ must not release its buffer before the READ has completed or the queue pair has
 * ended.
 */
public final class RegisteredReadMemory implements ReadMemory {
    private final EventLoop loop;
    private final MemoryRegion region;
    private final Executor setup;
    private final BuddyTree blocks;
    private final RegisteredBuffer[] buffers;
    private final ByteBuffer bytes;
    private final AtomicInteger usedBytes = new AtomicInteger();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private boolean retired;
    private boolean closed;

    /**
     * @param region of a power-of-two size; owned by this object
     * @param setup executor for the region's deregistration
     */
    public RegisteredReadMemory(EventLoop loop, MemoryRegion region, Executor setup) {
        this.loop = loop;
        this.region = region;
        this.setup = setup;
        this.blocks = new BuddyTree((int) region.lengthBytes());
        this.buffers = new RegisteredBuffer[blocks.nodeCount()];
        this.bytes = region.buffer();
    }

    @Override
    public int localKey() {
        return region.lkey();
    }

    @Override
    public ByteBuf take(int sizeBytes) {
        int node = closed || retired ? BuddyTree.NONE : blocks.take(sizeBytes);
        if (node == BuddyTree.NONE) {
            return null;
        }
        usedBytes.lazySet(blocks.usedBytes);
        RegisteredBuffer known = buffers[node];
        return known == null ? make(node) : known.renew();
    }

    private RegisteredBuffer make(int node) {
        int offset = blocks.offsetOf(node);
        ByteBuffer block = bytes.slice(offset, blocks.sizeBytesOf(node));
        buffers[node] = new RegisteredBuffer(this, node, region.address() + offset, block);
        return buffers[node];
    }

    @Override
    public ByteBuffer bytesOf(ByteBuf taken) {
        return ((RegisteredBuffer) taken).bytes;
    }

    /**
     * With the space for the answer's fields, one answer takes at most half of the memory. The other half serves slots
     * and other answers.
     */
    @Override
    public int mostBytes() {
        return bytes.capacity() / 4;
    }

    @Override
    public boolean hasSpare(int sizeBytes) {
        return usedBytes.get() + sizeBytes <= bytes.capacity() / 2;
    }

    @Override
    public boolean isScarce() {
        return true;
    }

    @Override
    public void retire() {
        retired = true;
    }

    /** Bytes of blocks in use. Thread-safe. */
    public int usedBytes() {
        return usedBytes.get();
    }

    /** Called by the last release of a buffer, on any thread. */
    void giveBack(RegisteredBuffer buffer) {
        if (loop.inEventLoop()) {
            free(buffer.node);
            return;
        }
        try {
            loop.execute(() -> free(buffer.node));
        } catch (RejectedExecutionException e) {
            // The event loop has ended, and nothing will take this block again. The region stays until the process
            // ends.
        }
    }

    private void free(int node) {
        blocks.giveBack(node);
        usedBytes.lazySet(blocks.usedBytes);
        deregisterIfUnused();
    }

    /** Stops handing out buffers. The result completes when all buffers are released and the memory is deregistered. */
    CompletableFuture<Void> close() {
        closed = true;
        deregisterIfUnused();
        return ended;
    }

    private void deregisterIfUnused() {
        if (closed && blocks.usedBytes == 0) {
            setup.execute(() -> {
                region.close();
                ended.complete(null);
            });
        }
    }
}
