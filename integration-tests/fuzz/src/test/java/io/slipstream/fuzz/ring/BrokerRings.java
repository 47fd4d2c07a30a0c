// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.ring;

import io.slipstream.broker.ring.IllegalFrameException;
import io.slipstream.broker.ring.ReplyRingWriter;
import io.slipstream.broker.ring.RequestRingReader;
import io.slipstream.broker.ring.RingFrameIn;
import io.slipstream.broker.ring.RingGuard;
import io.slipstream.broker.ring.RingReply;
import io.slipstream.broker.ring.RingSession;
import io.slipstream.broker.session.BoundSession;
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.broker.session.SessionLifetime;
import io.slipstream.fuzz.ShmPair;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.RingApis;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.WorkCompletion;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The plugin's two real rings over one end of a pair, with checks of every frame that they take. */
public final class BrokerRings {
    private final ShmPair.End end;
    private final MemoryRegion requestMemory;
    private final RequestRingReader requests;
    private final ReplyRingWriter replies;
    private final int credits;
    private final List<RingFrameIn> held = new ArrayList<>();
    /** Held frames that are handled: they only wait for their answers. */
    private final Set<RingFrameIn> handled = new HashSet<>();
    /** Of every second session id; the others are unknown. */
    private final RingSession bound = new RingSession(new BoundSession(
            1,
            1,
            new ObservedConnection("connection", "", "PLAINTEXT", "User:alice", false, null),
            SessionLifetime.UNLIMITED));

    private final WorkCompletion[] one = {new WorkCompletion()};
    private long nextSequence;
    private long released;
    /** The last answer, and what is left of it. */
    private RingReply answer;

    private ByteBuffer content;

    public BrokerRings(
            ShmPair.End end,
            MemoryRegion requestMemory,
            MemoryRegion controlWord,
            MemoryRegion staging,
            RemoteMemory replyMemory,
            int credits) {
        this.end = end;
        this.requestMemory = requestMemory;
        this.credits = credits;
        ByteBuffer copies = ByteBuffer.allocateDirect((int) requestMemory.lengthBytes());
        this.requests =
                new RequestRingReader(requestMemory.buffer(), copies, credits, id -> (id & 1) == 0 ? null : bound);
        this.replies = new ReplyRingWriter(end.queuePair, ShmPair.DEPTH, staging, controlWord, replyMemory);
    }

    /** Returns the next arrived immediate data, or -1. */
    public long nextArrival() {
        while (end.completions.poll(one) > 0) {
            if (one[0].status != CompletionStatus.SUCCESS) {
                throw new AssertionError(one[0].toString());
            }
            if (one[0].opcode == Opcode.RECV_WITH_IMM) {
                end.postReceives(1);
                return Integer.toUnsignedLong(one[0].imm);
            }
            replies.onSendCompleted(one[0].wrId);
        }
        return -1;
    }

    /** Takes the announced frame. Returns its payload, or null if it is refused with a reason, which ends the link. */
    public ByteBuffer take(int imm) {
        RingFrameIn frame;
        try {
            frame = requests.take(null, imm);
        } catch (IllegalFrameException refused) {
            require(refused.getMessage() != null && !refused.getMessage().isBlank(), "a refusal without a reason");
            return null;
        }
        check(frame);
        if (frame.session == bound) {
            requireCopy(frame);
        }
        held.add(frame);
        return frame.payload();
    }

    /** Changes a byte of the ring after the frame was taken, and changes it back. */
    private void requireCopy(RingFrameIn frame) {
        ByteBuffer payload = frame.payload();
        if (payload.capacity() == 0) {
            return;
        }
        int at = (int) (frame.start & (requestMemory.buffer().capacity() - 1)) + RingFrame.HEADER_BYTES;
        byte landed = requestMemory.buffer().get(at);
        require(payload.get(0) == landed, "the payload differs from the ring");
        requestMemory.buffer().put(at, (byte) ~landed);
        require(payload.get(0) == landed, "the payload changes with the ring");
        requestMemory.buffer().put(at, landed);
    }

    private void check(RingFrameIn frame) {
        int ringBytes = requestMemory.buffer().capacity();
        int offset = (int) (frame.start & (ringBytes - 1));
        ByteBuffer header = requestMemory.buffer();
        require(frame.sequence == nextSequence++, "sequence " + frame.sequence);
        require(frame.start % RingFrame.ALIGNMENT == 0 && frame.end % RingFrame.ALIGNMENT == 0, "alignment");
        require(frame.payload().capacity() == header.getInt(offset + RingFrame.LENGTH_OFFSET), "length");
        require(offset + frame.end - frame.start <= ringBytes, "crosses the ring's end");
        require(frame.start + RingFrame.HEADER_BYTES + frame.payload().capacity() <= frame.end, "end");
        int unhandled = 0;
        for (RingFrameIn other : held) {
            require(
                    handled.contains(other) || frame.end - other.start <= ringBytes && frame.start >= other.end,
                    "overwrites a frame that the broker holds");
            unhandled += other.end > released ? 1 : 0;
        }
        require(unhandled < credits, "more unhandled requests than credits");
        ByteBuffer payload = frame.payload();
        String refusal = RingGuard.refusal(payload, false);
        require(payload.position() == 0 && payload.limit() == payload.capacity(), "the guard moved the payload");
        if (refusal == null) {
            require(RingApis.carries(payload.getShort(0), payload.getShort(2)), "the guard accepts another API");
        }
    }

    public int heldFrames() {
        return held.size();
    }

    /** Sequence of a held frame. */
    public long sequence(int index) {
        return held.get(index).sequence;
    }

    /** Posts the answer to the held frame with this index, or its first part. Returns false if there is no room now. */
    public boolean answer(int index, int flags, byte[] payload) {
        content = ByteBuffer.wrap(payload);
        answer = new RingReply(held.get(index), flags, payload.length, false) {
            @Override
            public void writeTo(ByteBuffer target) {
                move(content, target);
            }
        };
        return answerOn();
    }

    /** Posts the next part of the last answer. Returns false if there is no room now. */
    boolean answerOn() {
        long before = requests.released();
        if (!replies.tryPost(answer, before)) {
            return false;
        }
        if (isAnswered()) {
            RingFrameIn frame = answer.frame;
            requests.onAnswered(frame);
            frame.releaseBytes();
            held.remove(frame);
            handled.remove(frame);
        }
        checkReleased(before);
        return true;
    }

    /** Returns whether all parts of the last answer are posted. */
    boolean isAnswered() {
        return !content.hasRemaining();
    }

    /** The held frame with this index is handled, but not answered. Returns false if the reply ring has no room now. */
    boolean release(int index) {
        handled.add(held.get(index));
        held.get(index).releaseBytes();
        long before = requests.released();
        boolean posted = replies.tryPostThrottle(RingFrame.NO_SESSION, false, before);
        checkReleased(before);
        return posted;
    }

    /** Announces the throttling of that frame's session. Returns false if the reply ring has no room now. */
    public boolean throttle(int index, boolean start) {
        long before = requests.released();
        boolean posted = replies.tryPostThrottle(held.get(index).sessionId, start, before);
        checkReleased(before);
        return posted;
    }

    private void checkReleased(long before) {
        long now = requests.released();
        require(now >= released && now >= before, "the released position decreased");
        released = now;
        for (RingFrameIn frame : held) {
            require(handled.contains(frame) || now <= frame.start, "released a held frame");
        }
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
