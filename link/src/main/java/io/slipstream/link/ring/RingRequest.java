// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.ring;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.work.CompletionHandler;
import io.slipstream.rdma.CompletionStatus;

/**
 * A place for one request of the request ring; pooled by {@link RequestRingWriter}, reused for ever.
 *
 * <pre>
 *   FREE ──▶ WAITING (no credit or no room yet) ──▶ POSTED ──(write completed and reply came, in any order)──▶ FREE
 *                │                                     │
 *                └── deadline, link lost ──▶ FREE      └── link lost ──▶ FREE
 * </pre>
 */
final class RingRequest implements CompletionHandler {
    enum State {
        FREE,
        WAITING,
        POSTED
    }

    private final RequestRingWriter ring;
    /** Among the ring's requests. */
    final int index;

    State state = State.FREE;
    RingClient<OutgoingRequest> client;
    OutgoingRequest request;
    int sessionId;
    long sequence;
    long deadlineNs;
    long postedAtNs;
    /** Retained while the queue pair may still read it, whatever becomes of the client; null if it was copied. */
    ByteBuf frame;

    boolean writeCompleted;
    boolean replied;
    int replyFlags;
    ByteBuf reply;

    RingRequest(RequestRingWriter ring, int index) {
        this.ring = ring;
        this.index = index;
    }

    @Override
    public void onWorkCompleted(CompletionStatus status, int byteLen) {
        // On failure the link ends and reports the outcome of all its requests.
        if (status == CompletionStatus.SUCCESS) {
            writeCompleted = true;
            ring.finishIfComplete(this);
        }
    }

    void releaseFrame() {
        if (frame != null) {
            frame.release();
            frame = null;
        }
    }

    void clear() {
        releaseFrame();
        state = State.FREE;
        client = null;
        request = null;
        writeCompleted = false;
        replied = false;
        reply = null;
    }
}
