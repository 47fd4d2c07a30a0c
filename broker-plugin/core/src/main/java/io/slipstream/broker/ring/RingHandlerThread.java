package io.slipstream.broker.ring;

import io.slipstream.broker.landing.Landing;

/** A request handler thread of ours, by which the hooks recognise on whose behalf the broker appends. */
public final class RingHandlerThread extends Thread {
    private final RingThread ring;

    public RingHandlerThread(RingThread ring, Runnable handler, String name) {
        super(handler, name);
        this.ring = ring;
        setDaemon(true);
    }

    RingThread ring() {
        return ring;
    }

    /** Whether the request in this thread's hands announced batches of that landing. Called by this thread. */
    public boolean isHandling(Landing landing) {
        LandedFrame handling = ring.handling();
        return handling != null
                && handling.batches() != null
                && handling.batches().isOf(landing);
    }

    /** Whether the request in this thread's hands announced batches. Called by this thread. */
    public boolean isHandlingBatches() {
        LandedFrame handling = ring.handling();
        return handling != null && handling.batches() != null;
    }

    /** Whether the request in this thread's hands came on that link. Called by this thread. */
    public boolean isHandling(RingLink link) {
        LandedFrame handling = ring.handling();
        return handling != null && handling.link() == link;
    }
}
