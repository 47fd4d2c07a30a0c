// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request handler thread of the broker, and its part in a {@link RingThread}.
 *
 * <pre>
 *   SPARE ──own()──▶ OWNER ──enterBroker()──▶ IN BROKER ──own()──▶ OWNER, or SPARE if another handler took over
 * </pre>
 *
 * <p>The owner polls the rings and handles what it receives. If a request keeps it in the broker, a spare handler takes
 * the rings over. So only the requests that came on the same client connection wait for a slow one. All methods belong
 * to the handler's thread, except where noted.
 */
public final class RingHandler implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RingHandler.class);
    /** An empty task. Unlike a wake-up, a queued task is not lost if the loop is about to sleep. */
    private static final Runnable NOTHING = () -> {};
    /** The handler of this thread. */
    private static final ThreadLocal<RingHandler> CURRENT = new ThreadLocal<>();

    private final RingThread ring;
    private ManualIoEventLoop loop;
    private boolean hasEvents;
    private boolean isOwner;
    private boolean isInBroker;
    private long enteredNs;
    /**
     * The request with which this handler is, or was last, in the broker; null for a callback of the broker. Read by
     * any thread that saw this handler in the broker.
     */
    RingFrameIn frame;
    /** Whether this handler came back from the broker after another one had taken over. Read by owner or borrower. */
    volatile boolean isBack;
    /** Another ring thread that sleeps and has doorbells to post once this handler is back from the broker. */
    private volatile RingThread later;

    public RingHandler(RingThread ring) {
        this.ring = ring;
        ring.spares.add();
    }

    /**
     * Returns the next received request of a live session. Returns null after the timeout, after
     * {@link RingThread#wakeUp}, and if another handler polls the rings.
     */
    public RingFrameIn poll(long timeoutMs) {
        return own(timeoutMs) ? ring.poll(this, timeoutMs) : null;
    }

    /** Ends the handling of the last request. If this handler does not own the rings, waits until it does. */
    public boolean own(long timeoutMs) {
        if (isInBroker) {
            isInBroker = false;
            isOwner = comeBack();
        }
        if (!isOwner) {
            isOwner = ring.spares.await(TimeUnit.MILLISECONDS.toNanos(timeoutMs));
            if (isOwner) {
                isBack = false;
            }
        }
        return isOwner;
    }

    /**
     * The owner is about to have the broker handle the request. From here on another handler may take over.
     *
     * @param request null for a callback of the broker
     */
    public void enterBroker(RingFrameIn request) {
        frame = request;
        isInBroker = true;
        enteredNs = System.nanoTime();
        boolean isSlow = isSlow();
        ring.completionQueue.handOver();
        ring.ownership.enterBroker(this);
        ring.spares.watch(isSlow);
    }

    private boolean comeBack() {
        if (frame != null) {
            frame.link.handled(frame, System.nanoTime() - enteredNs);
        }
        boolean remainsOwner = ring.ownership.takeBack(this);
        RingThread other = later;
        if (other != null) {
            later = null;
            other.postOrWake();
        }
        if (!remainsOwner) {
            isBack = true;
            if (frame == null) {
                ring.wakeUp();
            } else {
                ring.schedule(frame.link);
            }
        }
        return remainsOwner;
    }

    /** Any thread that saw this handler in the broker. */
    boolean isSlow() {
        return frame != null && frame.session.isSlow;
    }

    /** The handler that took over from this one: posts what this one would have posted once it is back. */
    void postLater() {
        RingThread other = later;
        if (other != null) {
            other.postOrWake();
        }
    }

    /**
     * Any thread: if it is a handler's, the handler posts for the sleeping ring thread once it is back from the broker.
     * Returns false if nobody will.
     */
    static boolean mayPostLater(RingThread sleeping) {
        RingHandler current = CURRENT.get();
        if (current == null || current.later != null && current.later != sleeping) {
            return false;
        }
        current.later = sleeping;
        // Who takes over looks at the field afterwards. Here it is the other way round, so one of both sees the other.
        return current.ring.ownership.inBroker() == current;
    }

    /** Owner: gets ready to sleep, before the first poll. */
    void start() {
        if (loop != null) {
            return;
        }
        CURRENT.set(this);
        loop = new ManualIoEventLoop(Thread.currentThread(), EpollIoHandler.newFactory());
        loop.register(new CompletionChannel(ring.completionQueue.eventFd())).addListener(future -> {
            if (!future.isSuccess()) {
                log.error("Cannot watch the completion queue; requests are found by polling", future.cause());
            } else {
                ((IoRegistration) future.getNow()).submit(EpollIoOps.EPOLLIN);
            }
        });
        loop.runNow();
    }

    /** Owner: sleeps until an event of the completion queue, a {@link #wake}, or the timeout. */
    void sleep(long timeoutNs) {
        loop.run(timeoutNs);
    }

    /** Any thread: ends the present or the next {@link #sleep}. */
    void wake() {
        loop.execute(NOTHING);
    }

    /** Owner: returns whether the completion queue had events since the last call. */
    boolean takeEvents() {
        boolean had = hasEvents;
        hasEvents = false;
        return had;
    }

    /** The thread's last action. */
    @Override
    public void close() {
        if (isOwner) {
            isOwner = false;
            ring.completionQueue.handOver();
            ring.ownership.free();
            ring.spares.wake();
        }
        if (loop != null) {
            loop.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
            while (!loop.isTerminated()) {
                loop.runNow();
            }
        }
    }

    private final class CompletionChannel implements EpollIoHandle {
        private final FileDescriptor descriptor;

        CompletionChannel(int descriptor) {
            this.descriptor = new FileDescriptor(descriptor);
        }

        @Override
        public FileDescriptor fd() {
            return descriptor;
        }

        @Override
        public void handle(IoRegistration registration, IoEvent event) {
            // Do not acknowledge events here: the completion queue may be on loan while the loop runs.
            hasEvents = true;
        }

        /** The descriptor belongs to the completion queue. */
        @Override
        public void close() {}
    }
}
