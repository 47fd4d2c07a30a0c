// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.ring;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.collection.IntObjectHashMap;
import io.slipstream.fuzz.ShmPair;
import io.slipstream.link.memory.AnyMemory;
import io.slipstream.link.memory.LinkMemory;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.link.ring.LinkSession;
import io.slipstream.link.ring.OutgoingRequest;
import io.slipstream.link.ring.ReplyRingReader;
import io.slipstream.link.ring.RequestRingWriter;
import io.slipstream.link.ring.RingClient;
import io.slipstream.link.work.CompletionPump;
import io.slipstream.link.work.LinkPort;
import io.slipstream.link.work.OperationMeters;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.WorkCompletion;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The proxy's two real rings over one end of a pair, with a client that records the end of each request. */
final class ProxyRings implements RingClient<ProxyRings.SubmittedRequest> {
    private static final int MOST_WAITING = 4;

    /** The end of a request. */
    record Ended(SubmittedRequest request, String how, int flags, byte[] response) {}

    final List<Ended> ended = new ArrayList<>();
    private final ShmPair.End end;
    private final UnpooledByteBufAllocator allocator;
    private final EmbeddedChannel loop = new EmbeddedChannel();
    private final LinkPort port;
    private final RequestRingWriter requests;
    private final ReplyRingReader replies;
    private final WorkCompletion[] one = {new WorkCompletion()};
    private final List<String> throttles = new ArrayList<>();
    private String broken;
    private int submitted;

    ProxyRings(
            ShmPair.End end,
            CompletionPump pump,
            MemoryRegion replyMemory,
            MemoryRegion words,
            RemoteMemory requestMemory,
            RemoteMemory controlWord,
            int credits,
            OperationMeters meters,
            UnpooledByteBufAllocator allocator) {
        this.end = end;
        this.allocator = allocator;
        this.port = new LinkPort(end.queuePair, false, ShmPair.DEPTH, 1, meters);
        port.attach(pump);
        LinkMemory memory =
                new LinkMemory(replyMemory, words, null, new AnyMemory(allocator, end.domain.anyLocalMemoryKey()));
        this.requests = new RequestRingWriter(
                loop.eventLoop(),
                port,
                requestMemory,
                memory,
                credits,
                MOST_WAITING,
                Integer.MAX_VALUE,
                TimeUnit.HOURS.toNanos(1),
                meters,
                reason -> broken = reason);
        IntObjectHashMap<LinkSession> sessions = new IntObjectHashMap<>();
        sessions.put(1, new LinkSession() {
            @Override
            public void onThrottle(boolean muted) {
                throttles.add(muted ? "muted" : "unmuted");
            }

            @Override
            public void onLinkLost(String reason) {}
        });
        this.replies = new ReplyRingReader(memory, allocator, requests, sessions, port, controlWord);
    }

    int maxFrameBytes() {
        return requests.maxFrameBytes;
    }

    /** Returns false if the waiting queue is full. */
    boolean submit(byte[] frame) {
        ByteBuf bytes = allocator.directBuffer(frame.length).writeBytes(frame);
        SubmittedRequest request = new SubmittedRequest(submitted, bytes);
        if (!requests.submit(this, 1, request)) {
            bytes.release();
            return false;
        }
        submitted++;
        return true;
    }

    /** Handles completions up to the next reply frame. Returns its immediate data and bytes, or null. */
    WorkCompletion nextArrival() {
        while (end.completions.poll(one) > 0) {
            if (one[0].status != CompletionStatus.SUCCESS) {
                throw new AssertionError(one[0].toString());
            }
            if (one[0].opcode == Opcode.RECV_WITH_IMM) {
                end.postReceives(1);
                return one[0];
            }
            if (!port.complete(one[0])) {
                throw new AssertionError("a completion without an operation: " + one[0]);
            }
        }
        return null;
    }

    /** Returns null, or the reason to break the link. */
    String accept(int imm, int landedBytes) {
        String refusal = replies.accept(imm, landedBytes);
        if (refusal == null) {
            replies.publishIfDue();
        }
        if (broken != null) {
            throw new AssertionError("a working queue pair refuses: " + broken);
        }
        return refusal;
    }

    /** Ends the link. Every accepted request has then ended exactly once, and no buffer remains. */
    void close() {
        requests.close("the test ends");
        loop.close();
        if (ended.size() != submitted) {
            throw new AssertionError(ended.size() + " of " + submitted + " requests ended");
        }
        boolean[] seen = new boolean[submitted];
        for (Ended each : ended) {
            if (seen[each.request.number]) {
                throw new AssertionError("request " + each.request.number + " ended twice");
            }
            seen[each.request.number] = true;
            each.request.frame.release();
        }
        long left = allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
        if (left != 0) {
            throw new AssertionError(left + " bytes were not released");
        }
    }

    @Override
    public boolean mayBeWritten(ProxyRings.SubmittedRequest request) {
        return true;
    }

    @Override
    public void onReply(ProxyRings.SubmittedRequest request, int flags, ByteBuf response) {
        byte[] bytes = null;
        if (response != null) {
            bytes = new byte[response.readInt()];
            response.readBytes(bytes);
            if (response.isReadable()) {
                throw new AssertionError(response.readableBytes() + " bytes after a response");
            }
            response.release();
        }
        ended.add(new Ended(request, "replied", flags, bytes));
    }

    @Override
    public void onNotWritten(ProxyRings.SubmittedRequest request, FallbackReason obstacle) {
        ended.add(new Ended(request, "not written", 0, null));
    }

    @Override
    public void onOutcomeUnknown(ProxyRings.SubmittedRequest request, String reason) {
        ended.add(new Ended(request, "unknown", 0, null));
    }

    /** A client's request, numbered in submission order. */
    static final class SubmittedRequest implements OutgoingRequest {
        final int number;
        private final ByteBuf frame;

        SubmittedRequest(int number, ByteBuf frame) {
            this.number = number;
            this.frame = frame;
        }

        @Override
        public ByteBuf frame() {
            return frame;
        }

        @Override
        public boolean isCancelled() {
            return false;
        }
    }
}
