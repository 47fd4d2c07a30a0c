package io.slipstream.broker.landing;

/** The link to which a segment's tail is lent, as landings need it. All methods: any thread. */
public interface LandingLink {
    int linkId();

    /** Asks the proxy to end a landing. */
    void ringLandingDoorbell(int landingId);

    /** Cuts the queue pair; the link then ends as if the proxy had. */
    void abandon(String reason);

    /** The thread that handles this link's requests; null before it has begun to. */
    Thread ownerThread();

    LinkLandings landings();
}
