// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.collection.IntObjectHashMap;
import io.slipstream.link.memory.AnyMemory;
import io.slipstream.link.memory.LinkMemory;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.link.meter.Meter;
import io.slipstream.link.ring.OutgoingRequest;
import io.slipstream.link.ring.ReplyRingReader;
import io.slipstream.link.ring.RequestRingWriter;
import io.slipstream.link.ring.RingClient;
import io.slipstream.link.work.CompletionPump;
import io.slipstream.link.work.LinkPort;
import io.slipstream.link.work.LoopTurn;
import io.slipstream.link.work.OperationMeters;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.WorkCompletion;

/**
 * The proxy's two rings, port and pump as in a link, without event loop, control connection and sessions. Confined to
 * one thread.
 */
public final class BenchedLink implements RingClient<BenchedLink.Request>, CompletionPump.Sink, AutoCloseable {
    private final LinkPort port;
    private final RequestRingWriter requests;
    private final ReplyRingReader replies;
    private final EmbeddedChannel loop = new EmbeddedChannel();
    private final CompletionPump pump;
    private final MeterRegistry registry = new MeterRegistry(Meter.values());
    private final Request[] free;
    private int freeCount;
    private long answers;

    /**
     * @param replyRing exported to the peer
     * @param words {@link LinkMemory#WORDS_BYTES} of local memory
     * @param frame frame of every request, from the request header on
     */
    public BenchedLink(
            QueuePair queuePair,
            CompletionQueue completions,
            int anyLocalKey,
            MemoryRegion replyRing,
            MemoryRegion words,
            RemoteMemory requestRing,
            RemoteMemory controlWord,
            int depth,
            ByteBuf frame) {
        var meters = new OperationMeters(registry);
        var allocator = PooledByteBufAllocator.DEFAULT;
        LinkMemory memory = new LinkMemory(replyRing, words, null, new AnyMemory(allocator, anyLocalKey));
        port = new LinkPort(queuePair, false, depth, 1, meters);
        requests = new RequestRingWriter(
                null, port, requestRing, memory, depth / 2, 1, (int) requestRing.lengthBytes(), 1, meters, reason -> {
                    throw new IllegalStateException(reason);
                });
        replies = new ReplyRingReader(memory, allocator, requests, new IntObjectHashMap<>(), port, controlWord);
        pump = new CompletionPump(new LoopTurn(loop.eventLoop()), completions, 0, this);
        port.attach(pump);
        for (int i = 0; i < depth; i++) {
            check(port.postReceive());
        }
        free = new Request[depth / 2];
        for (int i = 0; i < free.length; i++) {
            free[i] = new Request(frame);
        }
        freeCount = free.length;
    }

    /** Writes one request into the ring. */
    public void submit() {
        check(requests.submit(this, 1, free[--freeCount]));
    }

    /** Handles completions. Returns the number of answers so far. */
    public long pump() {
        pump.mark();
        loop.runPendingTasks();
        return answers;
    }

    @Override
    public void onReply(BenchedLink.Request request, int flags, ByteBuf response) {
        response.release();
        free[freeCount++] = request;
        answers++;
    }

    @Override
    public void onCompletion(WorkCompletion completion) {
        check(completion.status == CompletionStatus.SUCCESS);
        if (completion.opcode == Opcode.RECV_WITH_IMM) {
            check(port.postReceive());
            check((completion.imm & RingFrame.IMM_SLOT_DOORBELL) == 0);
            check(replies.accept(completion.imm, completion.byteLen) == null);
        } else {
            check(port.complete(completion));
        }
    }

    @Override
    public void onThrown(Throwable thrown) {
        throw new IllegalStateException("the benched link failed", thrown);
    }

    @Override
    public void onIdle() {
        replies.publishIfDue();
    }

    @Override
    public int outstanding() {
        return port.outstanding();
    }

    private static void check(boolean sound) {
        if (!sound) {
            throw new IllegalStateException("the benchmark's link broke");
        }
    }

    @Override
    public boolean mayBeWritten(BenchedLink.Request request) {
        return true;
    }

    @Override
    public void onNotWritten(BenchedLink.Request request, FallbackReason obstacle) {
        check(false);
    }

    @Override
    public void onOutcomeUnknown(BenchedLink.Request request, String reason) {
        check(false);
    }

    @Override
    public void close() {
        pump.close();
        registry.close();
    }

    /** A request with a constant frame. */
    record Request(ByteBuf frame) implements OutgoingRequest {
        @Override
        public boolean isCancelled() {
            return false;
        }
    }
}
