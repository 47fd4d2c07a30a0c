// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import io.slipstream.broker.ring.RingFrameIn;
import io.slipstream.broker.ring.RingThread;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one handler thread. They come from the rings that the thread owns, and from the broker's code, which
 * adds callbacks. Only the handler thread calls {@link #next}. Any thread may add.
 */
public final class RequestIntake {
    private static final Logger log = LoggerFactory.getLogger(RequestIntake.class);
    /** Pause after a failed poll, so that a thread whose polls fail repeatedly does not occupy a CPU. */
    private static final long AFTER_FAILURE_NS = 100_000_000L;

    private final RingThread thread;
    private final RingRequests requests;
    /** Callbacks and the shutdown request. The links' credits bound the callbacks: one for each request in flight. */
    private final ManyToOneConcurrentLinkedQueue<Object> added = new ManyToOneConcurrentLinkedQueue<>();

    RequestIntake(RingThread thread, RingRequests requests) {
        this.thread = thread;
        this.requests = requests;
    }

    /** Returns the next request. Returns null after the timeout, or if the received frame is left to TCP or refused. */
    public Object next(long timeoutMs) {
        Object first = added.poll();
        if (first != null) {
            return first;
        }
        RingFrameIn frame = null;
        try {
            frame = thread.poll(timeoutMs);
            return frame == null ? null : request(frame);
        } catch (Throwable e) {
            if (frame == null) {
                log.error("Polling the rings failed", e);
                LockSupport.parkNanos(AFTER_FAILURE_NS);
            } else {
                log.error(
                        "Closing connection {} because of error",
                        frame.session().bound().connectionId(),
                        e);
                frame.session().end();
                thread.refuse(frame);
            }
            return null;
        }
    }

    private Object request(RingFrameIn frame) {
        Object request = requests.request(frame);
        if (request == null) {
            thread.leaveToTcp(frame);
        }
        return request;
    }

    /** Adds a request that no ring carries: a callback, or the shutdown request. */
    public void add(Object request) {
        added.add(request);
        thread.wakeUp();
    }
}
