package io.slipstream.proxy.fastpath.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.collection.IntObjectHashMap;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.proxy.fastpath.AnswerTranslation;
import io.slipstream.proxy.fastpath.FallbackReason;
import io.slipstream.proxy.fastpath.PendingRequest;
import io.slipstream.proxy.fastpath.PollMode;
import io.slipstream.proxy.fastpath.memory.AnyMemory;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.WorkCompletion;
import java.nio.ByteBuffer;

/**
 * The proxy's two rings, port and pump as in a {@link LiveLink}, without event loop, control connection and sessions: for the benchmark, in
 * this package because they are nobody else's business. One thread.
 */
public final class BenchedLink implements RingClient, CompletionPump.Sink, AutoCloseable {
    private final LinkPort port;
    private final RequestRing requests;
    private final ReplyRing replies;
    private final CompletionPump pump;
    private final MeterRegistry registry = new MeterRegistry();
    private final Request[] free;
    private int freeCount;
    private long answers;

    /**
     * @param replyRing exported to the peer
     * @param words {@link LinkMemory#WORDS_BYTES} of local memory
     * @param frame sent again and again; from the request header on
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
        var meters = new LinkMeters(registry);
        var allocator = PooledByteBufAllocator.DEFAULT;
        LinkMemory memory = new LinkMemory(replyRing, words, null, new AnyMemory(allocator, anyLocalKey));
        port = new LinkPort(queuePair, depth, 1, meters.operations);
        requests = new RequestRing(
                null,
                port,
                requestRing,
                memory,
                depth / 2,
                1,
                (int) requestRing.lengthBytes(),
                1,
                meters.operations,
                reason -> {
                    throw new IllegalStateException(reason);
                });
        replies = new ReplyRing(memory, allocator, requests, new IntObjectHashMap<>(), port, controlWord);
        pump = new CompletionPump(null, completions, PollMode.EVENT, this);
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

    /** Handles what is complete; returns how many answers came so far. */
    public long pump() {
        pump.run();
        return answers;
    }

    @Override
    public void onReply(PendingRequest request, int flags, ByteBuf response) {
        response.release();
        free[freeCount++] = (Request) request;
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
    public void onIdle() {
        replies.publishIfDue();
    }

    @Override
    public int outstanding() {
        return port.outstanding();
    }

    @Override
    public boolean awaitsReplies() {
        return requests.unanswered() > 0;
    }

    private static void check(boolean sound) {
        if (!sound) {
            throw new IllegalStateException("the benchmark's link broke");
        }
    }

    @Override
    public boolean mayBeWritten(PendingRequest request) {
        return true;
    }

    @Override
    public void onNotWritten(PendingRequest request, FallbackReason reason) {
        check(false);
    }

    @Override
    public void onOutcomeUnknown(PendingRequest request, String reason) {
        check(false);
    }

    @Override
    public void close() {
        pump.close();
        registry.close();
    }

    /** A request whose frame is the same for ever. */
    private record Request(ByteBuf frame) implements PendingRequest {
        @Override
        public short apiKey() {
            return 0;
        }

        @Override
        public short apiVersion() {
            return 0;
        }

        @Override
        public int correlationId() {
            return 0;
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public void respond(ByteBuf response) {
            check(false);
        }

        @Override
        public void respondNothing() {
            check(false);
        }

        @Override
        public void fallBack(FallbackReason reason) {
            check(false);
        }

        @Override
        public void fallBack(FallbackReason reason, ByteBuffer other, AnswerTranslation translation) {
            check(false);
        }

        @Override
        public void closeConnection(String reason) {
            check(false);
        }
    }
}
