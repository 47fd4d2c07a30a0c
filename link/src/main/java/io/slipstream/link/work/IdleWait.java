// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import io.netty.channel.EventLoop;
import io.netty.channel.epoll.Native;
import io.netty.channel.unix.FileDescriptor;
import io.slipstream.protocol.config.PollMode;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * What a {@link CompletionPump} does when its completion queue is empty, by {@link PollMode}. Allocates nothing once
 * started.
 *
 * <p>ADAPTIVE: polls in place, at first for up to 20 µs. After each success the bound doubles, up to 20 µs; after each
 * failure it halves. Below 1 µs the next 64 polls are skipped. Providers that complete a request within its post never
 * get here with outstanding work.
 *
 * <p>BUSY: an eventfd of this object is registered with the event loop and kept readable. The event loop returns from
 * each wait at once, handles its sockets, and comes back to the pump.
 */
final class IdleWait {
    static final long MOST_SPIN_NS = 20_000;
    static final long LEAST_SPIN_NS = 1_000;
    static final int REST = 64;

    private final PollMode mode;
    private final FileDescriptor eventFd;
    private final CompletionEvents restless;
    private boolean awake;
    private long spinNs = MOST_SPIN_NS;
    private int restLeft;

    /** @param visit run on the event loop repeatedly while {@link #staysAwake} last returned true */
    IdleWait(PollMode mode, Runnable visit) {
        this.mode = mode;
        if (mode == PollMode.BUSY) {
            eventFd = Native.newEventFd();
            restless = new CompletionEvents(eventFd, visit);
        } else {
            eventFd = null;
            restless = null;
        }
    }

    void start(EventLoop loop) {
        if (restless != null) {
            restless.start(loop);
        }
    }

    /** Time to poll in place now, in ns, with work requests outstanding; call {@link #polled} afterwards. */
    long spinNs() {
        if (mode != PollMode.ADAPTIVE) {
            return 0;
        } else if (restLeft > 0) {
            restLeft--;
            return 0;
        }
        return spinNs;
    }

    /** Reports whether polling for {@link #spinNs} found a completion. */
    void polled(boolean found) {
        if (found) {
            spinNs = Math.min(MOST_SPIN_NS, 2 * spinNs);
        } else if (spinNs / 2 >= LEAST_SPIN_NS) {
            spinNs /= 2;
        } else {
            restLeft = REST;
        }
    }

    /** Whether the event loop returns without an event, so that the completion queue need not be armed. */
    boolean staysAwake(boolean awaited) {
        if (restless == null) {
            return false;
        }
        if (awaited != awake) {
            awake = awaited;
            if (awake) {
                Native.eventFdWrite(eventFd.intValue(), 1);
            } else {
                Native.eventFdRead(eventFd.intValue());
            }
        }
        return awake;
    }

    void close() {
        if (restless == null) {
            return;
        }
        restless.stop();
        try {
            eventFd.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
