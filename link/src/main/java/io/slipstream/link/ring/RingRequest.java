// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.ring;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.work.CompletionHandler;
import io.slipstream.rdma.CompletionStatus;

/**
 * The state of one request in the request ring; pooled and reused by {@link RequestRingWriter}.
 *
 * <pre>
 *   FREE ──▶ WAITING (no credit or space yet) ──▶ POSTED ──(write completed and reply received, in any order)──▶ FREE
 *                │                                   │
 *                └── deadline, link lost ──▶ FREE    └── link lost ──▶ FREE
 * </pre>
 */
final class RingRequest implements CompletionHandler {
    private final RequestRingWriter ring;
    /** Index in the ring's array of requests. */
    final int index;

    boolean posted;
    RingClient<OutgoingRequest> client;
    OutgoingRequest request;
    int sessionId;
    long sequence;
    long deadlineNs;
    /** The ring's released position when this request began to wait. */
    long releasedBefore;
    /** Ring position after the frame. */
    long end;

    long postedAtNs;
    /** Retained while the queue pair may read it, even if the client is gone; null if it was copied. */
    ByteBuf frame;

    boolean writeCompleted;
    boolean replied;
    int replyFlags;
    /** The response, or the parts of it that have arrived; null if there is none. */
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

    void releaseReply() {
        if (reply != null) {
            reply.release();
            reply = null;
        }
    }

    void clear() {
        releaseFrame();
        posted = false;
        client = null;
        request = null;
        writeCompleted = false;
        replied = false;
        reply = null;
    }
}
