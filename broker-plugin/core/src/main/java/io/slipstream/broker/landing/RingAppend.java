package io.slipstream.broker.landing;

/** A request that came by the ring, as landings see it. Owner of the link only. */
public interface RingAppend {
    /** Its place in the order of a shared landing; null if it has none. */
    Turn turn();

    /** Given back with the request's bytes, used or not. */
    void takeTurn(Turn turn);

    LandingLink link();

    /** Any thread: it may be handled now, and is met once more by the owner. */
    void handBack();
}
