// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import io.slipstream.broker.ring.RingFrameIn;
import io.slipstream.broker.ring.RingHandler;
import io.slipstream.broker.ring.RingThread;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one handler thread. They come from the rings while the thread owns them, and from the broker's code,
 * which adds callbacks. Only the handler thread calls {@link #next}. Any thread may add.
 */
public final class RequestIntake {
    private static final Logger log = LoggerFactory.getLogger(RequestIntake.class);
    /** Pause after a failed poll, so that a thread whose polls fail repeatedly does not occupy a CPU. */
    private static final long AFTER_FAILURE_NS = 100_000_000L;

    /** How long a handler waits that does not own the rings. */
    private static final long SPARE_WAIT_MS = 5_000L;

    private final RingThread thread;
    private final RingHandler handler;
    private final RingRequests requests;
    private volatile Object shutdown;

    RequestIntake(RingThread thread, RingHandler handler, RingRequests requests) {
        this.thread = thread;
        this.handler = handler;
        this.requests = requests;
    }

    /**
     * Returns the next request. Returns null after the timeout, after it has read a file for an answer, or if the
     * received frame is left to TCP or refused.
     */
    public Object next(long timeoutMs) {
        RingFrameIn frame = null;
        try {
            if (!handler.own(Math.max(timeoutMs, SPARE_WAIT_MS))) {
                return shutdown;
            }
            Object request = thread.takeTask();
            if (request instanceof Runnable reading) {
                handler.enterBroker(null);
                reading.run();
                return null;
            }
            if (request == null) {
                if (shutdown != null) {
                    return shutdown;
                }
                frame = handler.poll(timeoutMs);
                request = frame == null ? null : requests.request(frame);
            }
            if (request != null) {
                handler.enterBroker(frame);
            } else if (frame != null) {
                thread.leaveToTcp(frame);
            }
            return request;
        } catch (Throwable e) {
            if (frame == null) {
                log.error("Polling the rings failed", e);
                LockSupport.parkNanos(AFTER_FAILURE_NS);
            } else {
                log.error("Closing connection {} because of error", frame.session.bound.connection.connectionId(), e);
                frame.session.bound.end();
                thread.refuse(frame);
            }
            return null;
        }
    }

    /** Any thread: adds a callback, for the handler that owns the rings next. */
    public void add(Object callback) {
        thread.addTask(callback);
    }

    /** Any thread: has {@link #next} return the shutdown request when the callbacks are done. */
    public void stop(Object shutdownRequest) {
        shutdown = shutdownRequest;
        thread.stop();
    }
}
