// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import io.netty.channel.EventLoop;
import io.netty.channel.unix.FileDescriptor;
import io.slipstream.link.settings.PollMode;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.WorkCompletion;

/**
 * Empties a completion queue, then waits as {@link IdleWait} decides, and sleeps without losing a wake-up: arm, poll
 * again, wait for the descriptor. Runs on the event loop when the descriptor is readable, and after every burst of
 * posts, because many operations have completed by then.
 */
public final class CompletionPump implements Runnable {
    private static final int BATCH = 64;
    /** Completions handled before the event loop continues with other work. */
    private static final int BUDGET = 16 * BATCH;

    private final EventLoop loop;
    private final CompletionQueue queue;
    private final Sink sink;
    private final CompletionEvents events;
    private final IdleWait idle;
    private final WorkCompletion[] batch = new WorkCompletion[BATCH];
    private final Runnable visit = this::visit;
    private boolean visitScheduled;
    private boolean running;
    private boolean armed;
    private boolean closed;

    /** Receives the completions of one link. */
    public interface Sink {
        void onCompletion(WorkCompletion completion);

        /** {@link #onCompletion} threw this; the next completions follow. */
        void onThrown(Throwable thrown);

        /** The queue is empty. */
        void onIdle();

        /** Number of work requests that the device has not completed. */
        int outstanding();

        /** Whether the plugin owes replies. */
        boolean awaitsReplies();
    }

    public CompletionPump(EventLoop loop, CompletionQueue queue, PollMode mode, Sink sink) {
        this.loop = loop;
        this.queue = queue;
        this.sink = sink;
        this.events = new CompletionEvents(new FileDescriptor(queue.eventFd()), this::onReadable);
        this.idle = new IdleWait(mode, this);
        for (int i = 0; i < BATCH; i++) {
            batch[i] = new WorkCompletion();
        }
    }

    public void start() {
        events.start(loop);
        idle.start(loop);
        run();
    }

    private void onReadable() {
        queue.acknowledgeEvents();
        armed = false;
        run();
    }

    /**
     * Called before each post. A request that completes at once needs no event, because {@link #run} or
     * {@link #runSoon} follows.
     */
    void rouse() {
        if (armed) {
            armed = false;
            queue.disarm();
        }
    }

    /** Handles available completions. A handler that posts need not call it, because it runs within it. */
    @Override
    public void run() {
        if (running || closed) {
            return;
        }
        running = true;
        try {
            drain();
        } finally {
            running = false;
        }
    }

    /** Runs {@link #run} after the current event of the event loop: once for a burst of posts, not once per post. */
    public void runSoon() {
        if (!running && !visitScheduled) {
            visitScheduled = true;
            loop.execute(visit);
        }
    }

    private void visit() {
        visitScheduled = false;
        run();
    }

    private void drain() {
        int left = BUDGET;
        while (left > 0) {
            int n = queue.poll(batch);
            if (n == 0) {
                sink.onIdle();
                n = closed ? 0 : awaitMore();
            }
            for (int i = 0; i < n && !closed; i++) {
                handle(batch[i]);
            }
            if (n == 0 || closed) {
                return;
            }
            left -= n;
        }
        loop.execute(this);
    }

    /** A completion that is not handled would never be reported again. */
    private void handle(WorkCompletion completion) {
        try {
            sink.onCompletion(completion);
        } catch (Throwable e) {
            sink.onThrown(e);
        }
    }

    /**
     * Polls for further completions while that pays, and fills the batch.
     *
     * @return number of completions; 0 if events or visits continue from here
     */
    private int awaitMore() {
        boolean outstanding = sink.outstanding() > 0;
        if (idle.staysAwake(outstanding || sink.awaitsReplies())) {
            return 0;
        }
        int n = outstanding ? spin() : 0;
        if (n == 0) {
            // Work posted by onIdle may have completed already, and completions before arming cause no event.
            if (!armed) {
                armed = true;
                queue.arm();
            }
            n = queue.poll(batch);
        }
        return n;
    }

    private int spin() {
        long limitNs = idle.spinNs();
        if (limitNs == 0) {
            return 0;
        }
        long startNs = System.nanoTime();
        int n;
        do {
            n = queue.poll(batch);
        } while (n == 0 && System.nanoTime() - startNs < limitNs);
        idle.polled(n > 0);
        return n;
    }

    /** Call it before the completion queue is closed. */
    public void close() {
        closed = true;
        events.stop();
        idle.close();
    }
}
