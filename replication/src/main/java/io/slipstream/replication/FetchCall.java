// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.slipstream.link.ring.OutgoingRequest;
import io.slipstream.replication.LeaderSession.Bound;
import io.slipstream.replication.ReplicationMeters.Fallback;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.requests.RequestHeader;

/** One fetch in a request ring. The fetcher's thread makes it and waits; the event loop submits and ends it. */
public final class FetchCall implements OutgoingRequest, LeaderLoop.Awaited, Runnable {
    private enum Outcome {
        PENDING,
        ANSWERED,
        FAILED,
        GIVEN_UP
    }

    private final Fetcher fetcher;
    final Bound bound;
    final RequestHeader header;
    final long createdMs = System.currentTimeMillis();
    private final Thread waiter = Thread.currentThread();
    private final ByteBuf frame;
    private final AtomicReference<Outcome> outcome = new AtomicReference<>(Outcome.PENDING);
    /** The leader's answer, with its size in front. Set by the event loop before the outcome, like the next field. */
    private ByteBuf answer;

    private Fallback failure;

    FetchCall(Fetcher fetcher, Bound bound, RequestHeader header, ByteBuffer request) {
        this.fetcher = fetcher;
        this.bound = bound;
        this.header = header;
        this.frame = Unpooled.wrappedBuffer(request);
    }

    /** The event loop: submits the request. */
    @Override
    public void run() {
        fetcher.submit(this);
    }

    @Override
    public ByteBuf frame() {
        return frame;
    }

    @Override
    public boolean isCancelled() {
        return outcome.get() == Outcome.GIVEN_UP;
    }

    /** Any thread. */
    @Override
    public boolean isOver() {
        return outcome.get() != Outcome.PENDING || fetcher.isClosed();
    }

    /**
     * The fetcher's thread, which no longer waits.
     *
     * @return the answer, which the caller releases; null if there is none, see {@link #failure}
     */
    ByteBuf result() {
        outcome.compareAndSet(Outcome.PENDING, Outcome.GIVEN_UP);
        return outcome.get() == Outcome.ANSWERED ? answer : null;
    }

    /** The fetcher's thread, after {@link #result} returned null. */
    Fallback failure() {
        return isCancelled() ? Fallback.TIMED_OUT : failure;
    }

    /** The event loop. */
    void answer(ByteBuf response) {
        answer = response;
        if (!end(Outcome.ANSWERED)) {
            response.release();
        }
    }

    /** The event loop. */
    void fail(Fallback reason) {
        failure = reason;
        end(Outcome.FAILED);
    }

    private boolean end(Outcome next) {
        boolean isAwaited = outcome.compareAndSet(Outcome.PENDING, next);
        if (isAwaited && waiter != Thread.currentThread()) {
            LockSupport.unpark(waiter);
        }
        return isAwaited;
    }
}
