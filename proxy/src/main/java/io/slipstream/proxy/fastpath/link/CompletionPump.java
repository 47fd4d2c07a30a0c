package io.slipstream.proxy.fastpath.link;

import io.netty.channel.EventLoop;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.WorkCompletion;

/**
 * Empties a completion queue, then sleeps without losing a wake-up: arm, poll again, wait for the descriptor. Runs on the event
 * loop when the descriptor is readable and after every burst of posts, because many operations are complete by then.
 */
final class CompletionPump implements Runnable {
    private static final int BATCH = 64;
    /** Completions handled before other work of the event loop gets its turn. */
    private static final int BUDGET = 16 * BATCH;

    private final EventLoop loop;
    private final CompletionQueue queue;
    private final Sink sink;
    private final CompletionEvents events;
    private final WorkCompletion[] batch = new WorkCompletion[BATCH];
    private boolean running;
    private boolean armed;
    private boolean closed;

    /** Takes the completions of one link. */
    interface Sink {
        void onCompletion(WorkCompletion completion);

        /** The queue is empty for now. */
        void onIdle();
    }

    CompletionPump(EventLoop loop, CompletionQueue queue, Sink sink) {
        this.loop = loop;
        this.queue = queue;
        this.sink = sink;
        this.events = new CompletionEvents(queue.eventFd(), this::onReadable);
        for (int i = 0; i < BATCH; i++) {
            batch[i] = new WorkCompletion();
        }
    }

    void start() {
        events.start(loop);
        run();
    }

    private void onReadable() {
        queue.acknowledgeEvents();
        armed = false;
        run();
    }

    /** Called before each post: what it completes at once needs no event, because {@link #run} follows. */
    void rouse() {
        if (armed) {
            armed = false;
            queue.disarm();
        }
    }

    /** Handles what is complete. A handler that posts need not call this: it runs inside already. */
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

    private void drain() {
        int left = BUDGET;
        while (left > 0) {
            int n = queue.poll(batch);
            if (n == 0) {
                sink.onIdle();
                // What onIdle posted may be complete already, and what completed before arming causes no event.
                if (!closed && !armed) {
                    armed = true;
                    queue.arm();
                }
                n = closed ? 0 : queue.poll(batch);
            }
            for (int i = 0; i < n && !closed; i++) {
                sink.onCompletion(batch[i]);
            }
            if (n == 0 || closed) {
                return;
            }
            left -= n;
        }
        loop.execute(this);
    }

    /** Before the completion queue is closed. */
    void close() {
        closed = true;
        events.stop();
    }
}
