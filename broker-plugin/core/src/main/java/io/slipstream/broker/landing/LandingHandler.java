package io.slipstream.broker.landing;

/** A thread that hands the requests of links to the broker, by which the hooks recognise on whose behalf it appends. All methods: that thread. */
public interface LandingHandler {
    /** Whether the request in its hands announced batches of that landing, which lie there still. */
    boolean isHandling(Landing landing);

    /** Whether the request in its hands came on that link. */
    boolean isHandling(LandingLink link);

    /** The turn of the request in its hands, in a shared landing; null if it has none. */
    Turn handlingTurn();

    /** Whether the request in its hands announced batches. */
    boolean isHandlingBatches();
}
