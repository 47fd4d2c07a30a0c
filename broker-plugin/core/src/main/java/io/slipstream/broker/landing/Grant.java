package io.slipstream.broker.landing;

import java.nio.ByteBuffer;

/** What one link may place in one segment; named by an id in its frames. All methods: owner of the link. */
public sealed interface Grant permits Landing, SharedGrant {
    int id();

    LandingLink link();

    /**
     * The proxy is ready to place batches. All that came on this link before has been appended.
     *
     * @return from where on they lie; -1 if that is refused, and the grant is over
     */
    int begin();

    /**
     * Nothing more will be announced: ended by the proxy, or the link is lost. Idempotent.
     *
     * @param leavesHoles whether the proxy says that it reserved places and has no batches for them
     */
    void drain(boolean leavesHoles);

    /**
     * A frame announces a batch. Its bytes are complete: they were written before the frame.
     *
     * @param order what the proxy was given with the position, where several place batches; else 0
     * @return where it lies; null if no correct proxy announces it
     */
    LandingWindow take(int position, int lengthBytes, int order);

    /**
     * A taken batch, big-endian, as the broker begins to handle it. Where it lies, with a length that reads as 0, if that is where the log ends; else
     * a copy.
     */
    ByteBuffer handle(LandingWindow holding, int position, int lengthBytes);

    /** The broker needs a taken batch's bytes no more. What was not appended from there is not left there. */
    void handled(LandingWindow holding, int position, int lengthBytes);
}
