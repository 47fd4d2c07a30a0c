// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import io.netty.channel.EventLoop;
import io.slipstream.rdma.CompletionQueue;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The turns of one event loop. Its events only take in and {@linkplain Mark#set mark}. One task after the events of a
 * round then runs the marked work in three passes:
 * <ol>
 * <li><em>in</em>: links poll their completion queues, whose handlers mark client sessions;
 * <li><em>out</em>: client sessions write and flush answers, and send requests on;
 * <li><em>keep</em>: links do what no client waits for, and then spin or arm, so that the event loop may sleep.
 * </ol>
 * In and out repeat while requests complete at once, as with shared memory. Nothing else polls or writes, so no answer
 * is given inside the decoding of a request or inside a post. Confined to the event loop; allocates nothing.
 */
public final class LoopTurn implements Runnable {
    /** Polls before the event loop continues with other work. */
    private static final int MOST_POLLS = 16;

    public final EventLoop loop;
    final Pass in = new Pass();
    public final Pass out = new Pass();
    final Pass keep = new Pass();
    private boolean scheduled;
    /** Of the newest link; null before there was one. A loop that one thread after another drives hands it over. */
    public CompletionQueue newestQueue;

    public LoopTurn(EventLoop loop) {
        this.loop = loop;
    }

    /** Returns a function that has one turn for each event loop. Any thread. */
    public static Function<EventLoop, LoopTurn> ofEachLoop() {
        Map<EventLoop, LoopTurn> byLoop = new ConcurrentHashMap<>();
        return loop -> byLoop.computeIfAbsent(loop, LoopTurn::new);
    }

    @Override
    public void run() {
        int polls = 0;
        scheduled = true;
        try {
            do {
                for (; in.first != null && polls < MOST_POLLS; polls++) {
                    runFirst(in);
                }
                while (out.first != null) {
                    runFirst(out);
                }
                while (in.first == null && out.first == null && keep.first != null) {
                    runFirst(keep);
                }
            } while (polls < MOST_POLLS && (in.first != null || out.first != null));
        } finally {
            scheduled = in.first != null || out.first != null || keep.first != null;
            if (scheduled) {
                loop.execute(this);
            }
        }
    }

    private static void runFirst(Pass pass) {
        Mark mark = pass.first;
        pass.first = mark.next;
        mark.next = null;
        mark.set = false;
        try {
            mark.work.run();
        } catch (Throwable e) {
            mark.onThrown.accept(e);
        }
    }

    /** The marks of one pass, in the order in which they were set. */
    public final class Pass {
        private Mark first;
        private Mark last;

        /** @param onThrown gets what the work throws; other work goes on */
        public Mark mark(Runnable work, Consumer<Throwable> onThrown) {
            return new Mark(this, work, onThrown);
        }
    }

    /** One member's work in one pass, and its place in the list of that pass. */
    public final class Mark {
        private final Pass pass;
        private final Runnable work;
        private final Consumer<Throwable> onThrown;
        private Mark next;
        private boolean set;

        private Mark(Pass pass, Runnable work, Consumer<Throwable> onThrown) {
            this.pass = pass;
            this.work = work;
            this.onThrown = onThrown;
        }

        /** Has the work run once in this turn, or in the next one, however often it is set. */
        public void set() {
            if (set) {
                return;
            }
            set = true;
            if (pass.first == null) {
                pass.first = this;
            } else {
                pass.last.next = this;
            }
            pass.last = this;
            if (!scheduled) {
                scheduled = true;
                loop.execute(LoopTurn.this);
            }
        }
    }
}
