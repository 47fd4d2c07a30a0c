package io.slipstream.broker.ring;

import io.slipstream.broker.landing.Landing;
import io.slipstream.broker.landing.LandingHandler;
import io.slipstream.broker.landing.LandingLink;
import io.slipstream.broker.landing.Turn;

/** A request handler thread of ours. */
public final class RingHandlerThread extends Thread implements LandingHandler {
    private final RingThread ring;

    public RingHandlerThread(RingThread ring, Runnable handler, String name) {
        super(handler, name);
        this.ring = ring;
        setDaemon(true);
    }

    @Override
    public boolean isHandling(Landing landing) {
        return isHandlingBatches() && ring.handling().batches().isOf(landing);
    }

    @Override
    public boolean isHandling(LandingLink link) {
        LandedFrame handling = ring.handling();
        return handling != null && handling.link() == link;
    }

    @Override
    public Turn handlingTurn() {
        LandedFrame handling = ring.handling();
        if (handling == null || handling.batches() == null) {
            return handling == null ? null : handling.turn();
        }
        return handling.batches().waitsWithItsSession()
                ? handling.turn()
                : handling.batches().turn();
    }

    @Override
    public boolean isHandlingBatches() {
        LandedFrame handling = ring.handling();
        return handling != null && handling.batches() != null;
    }
}
