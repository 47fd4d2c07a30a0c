package io.slipstream.bench;

/** What is measured, with how many requests in flight. */
enum Workload {
    PRODUCE("produce 100 B, acks=1", 1),
    FETCH("fetch one batch", 1),
    EMPTY_FETCH("empty fetch", 1),
    EMPTY_FETCH_PIPELINED("empty fetches, 32 in flight", 32);

    private final String label;
    private final int inFlight;

    Workload(String label, int inFlight) {
        this.label = label;
        this.inFlight = inFlight;
    }

    String label() {
        return label;
    }

    int inFlight() {
        return inFlight;
    }

    /** Whether operations per second are its result rather than the round trip's time. */
    boolean isThroughput() {
        return inFlight > 1;
    }

    boolean isProduce() {
        return this == PRODUCE;
    }
}
