package io.slipstream.broker.metrics;

/** Where a produced batch lay when the broker appended it. */
public enum Placement {
    /** Where the proxy placed it in the segment, and where it stays. */
    IN_PLACE,
    /** Elsewhere in the segment. */
    MOVED,
    /** In a request ring; the append copies it. */
    RING
}
