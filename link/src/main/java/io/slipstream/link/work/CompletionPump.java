// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import io.netty.channel.EventLoop;
import io.netty.channel.unix.FileDescriptor;
import io.slipstream.rdma.AdaptiveSpin;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.WorkCompletion;

/**
 * Takes the completions of one link in the turns of its event loop, and sleeps without losing a wake-up: arm, poll
 * again, wait for the descriptor. It is marked when the descriptor is readable and by every post, because many
 * operations complete within it.
 */
public final class CompletionPump {
    private static final int BATCH = 64;

    private final EventLoop loop;
    private final CompletionQueue queue;
    private final Sink sink;
    private final LoopTurn.Mark due;
    private final LoopTurn.Mark kept;
    private final CompletionEvents events;
    private final AdaptiveSpin spin;
    private final WorkCompletion[] batch = new WorkCompletion[BATCH];
    private boolean armed;
    /** Whether the link keeps: it polls afterwards, so its posts need no mark. */
    private boolean keeping;

    private boolean closed;

    /** Receives the completions of one link. */
    public interface Sink {
        void onCompletion(WorkCompletion completion);

        /** A method of this object threw this; the next completions follow. */
        void onThrown(Throwable thrown);

        /** The completions are handled, and the answers among them are written. */
        void onIdle();

        /** Number of work requests that the device has not completed. */
        int outstanding();
    }

    /** @param spinNs longest time to poll in place while work requests are outstanding; 0 not to do so */
    public CompletionPump(LoopTurn turn, CompletionQueue queue, long spinNs, Sink sink) {
        this.loop = turn.loop;
        this.queue = queue;
        this.sink = sink;
        this.due = turn.in.mark(this::take, e -> sink.onThrown(e));
        this.kept = turn.keep.mark(this::keep, e -> sink.onThrown(e));
        this.events = new CompletionEvents(new FileDescriptor(queue.eventFd()), this::onReadable);
        this.spin = new AdaptiveSpin(spinNs, System::nanoTime, Thread::yield);
        for (int i = 0; i < BATCH; i++) {
            batch[i] = new WorkCompletion();
        }
    }

    public void start() {
        events.start(loop);
        mark();
    }

    /** Has the next turn take completions. */
    public void mark() {
        due.set();
    }

    /** Has the turn report {@link Sink#onIdle} once more. */
    public void markToKeep() {
        kept.set();
    }

    private void onReadable() {
        queue.acknowledgeEvents();
        armed = false;
        mark();
    }

    /** Called before each post. A request that completes at once needs no event, because this turn polls. */
    void rouse() {
        if (armed) {
            armed = false;
            queue.disarm();
        }
        if (!keeping) {
            mark();
        }
    }

    private void take() {
        if (!closed) {
            kept.set();
            // A provider may leave some for the next poll although it did not fill the batch.
            if (handle(queue.poll(batch)) >= BATCH / 2) {
                mark();
            }
        }
    }

    /** A completion that is not handled would never be reported again. */
    private int handle(int count) {
        for (int i = 0; i < count && !closed; i++) {
            try {
                sink.onCompletion(batch[i]);
            } catch (Throwable e) {
                sink.onThrown(e);
            }
        }
        return count;
    }

    private void keep() {
        if (closed) {
            return;
        }
        keeping = true;
        try {
            sink.onIdle();
        } finally {
            keeping = false;
        }
        boolean more = !closed && sink.outstanding() > 0 && handle(spin()) > 0 && sink.outstanding() > 0;
        if (more) {
            kept.set();
        }
        if (more || closed) {
            return;
        }
        if (!armed) {
            armed = true;
            queue.arm();
        }
        // Completions before arming cause no event.
        if (handle(queue.poll(batch)) > 0) {
            kept.set();
        }
    }

    /** Polls while that pays. */
    private int spin() {
        int found = 0;
        while (found == 0 && spin.mayLook()) {
            found = spin.looked(queue.poll(batch));
        }
        return found;
    }

    /** Call it before the completion queue is closed. */
    public void close() {
        closed = true;
        events.stop();
    }
}
