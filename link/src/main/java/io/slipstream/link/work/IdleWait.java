// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import io.netty.channel.EventLoop;
import io.netty.channel.epoll.Native;
import io.netty.channel.unix.FileDescriptor;
import io.slipstream.link.settings.PollMode;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * What a {@link CompletionPump} does when its completion queue is empty, by {@link PollMode}. Allocates nothing once
 * started.
 *
 * <p>ADAPTIVE: polling on the spot, up to 20 µs at first. That is worth it as long as completions come so soon, so each
 * time they did the bound doubles, up to the 20 µs, and each time they did not it halves; below 1 µs nothing is polled
 * for the next 64 times. Providers that complete within post never get here with work outstanding.
 *
 * <p>BUSY: an eventfd of ours, among the descriptors that the event loop waits for, is made readable and left so. The
 * event loop returns from each wait at once, has looked at its sockets, and comes back to the pump.
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

    /** @param visit run on the event loop again and again while {@link #staysAwake} was last answered with true */
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

    /** How long to poll on the spot now, with work requests outstanding; then {@link #polled}. */
    long spinNs() {
        if (mode != PollMode.ADAPTIVE) {
            return 0;
        } else if (restLeft > 0) {
            restLeft--;
            return 0;
        }
        return spinNs;
    }

    /** Whether polling for {@link #spinNs} has found something. */
    void polled(boolean found) {
        if (found) {
            spinNs = Math.min(MOST_SPIN_NS, 2 * spinNs);
        } else if (spinNs / 2 >= LEAST_SPIN_NS) {
            spinNs /= 2;
        } else {
            restLeft = REST;
        }
    }

    /** Whether the event loop will be back without an event, so that none need be asked for. */
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
