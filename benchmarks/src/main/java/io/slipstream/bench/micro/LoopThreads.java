package io.slipstream.bench.micro;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.slipstream.broker.landing.AnnouncedBatches;
import io.slipstream.broker.landing.Landing;
import io.slipstream.broker.landing.LandingHandler;
import io.slipstream.broker.landing.LandingLink;
import io.slipstream.broker.landing.Turn;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Has JMH measure on threads like the proxy's event loops, because Netty pools buffers and their objects for threads of its own kind only, and like the
 * plugin's handlers, by which the hooks know whose batches are appended.
 */
public final class LoopThreads extends ThreadPoolExecutor {
    /** JMH asks for exactly this. */
    public LoopThreads(int threads, String prefix) {
        super(threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new DefaultThreadFactory(prefix) {
            @Override
            protected Thread newThread(Runnable task, String name) {
                return new Loop(task, name);
            }
        });
    }

    /** Says of the present thread what it appends; null for nothing that was placed. */
    static void setHandling(AnnouncedBatches batches) {
        ((Loop) Thread.currentThread()).handling = batches;
    }

    private static final class Loop extends FastThreadLocalThread implements LandingHandler {
        private AnnouncedBatches handling;

        Loop(Runnable task, String name) {
            super(task, name);
        }

        @Override
        public boolean isHandling(Landing landing) {
            return handling != null && handling.isOf(landing);
        }

        @Override
        public boolean isHandling(LandingLink link) {
            return handling != null;
        }

        @Override
        public Turn handlingTurn() {
            return null;
        }

        @Override
        public boolean isHandlingBatches() {
            return handling != null;
        }
    }
}
