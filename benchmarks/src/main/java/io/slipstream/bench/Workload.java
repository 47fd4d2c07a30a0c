package io.slipstream.bench;

/** What is measured, with how many requests in flight on the one connection. */
enum Workload {
    PRODUCE("produce 100 B, acks=1", 1, 100),
    FETCH("fetch one batch", 1, 100),
    EMPTY_FETCH("empty fetch", 1, 0),
    EMPTY_FETCH_PIPELINED("empty fetches, 32 in flight", 32, 0),
    PRODUCE_1K("produce 1 KiB", 1, 1 << 10),
    PRODUCE_1K_PIPELINED("produce 1 KiB, 32 in flight", 32, 1 << 10),
    PRODUCE_16K_PIPELINED("produce 16 KiB, 32 in flight", 32, 16 << 10),
    /** As many as fit the request ring and the proxy's reading of the socket with room to spare. */
    PRODUCE_100K_PIPELINED("produce 100 KiB, 8 in flight", 8, 100 << 10);

    private final String label;
    private final int inFlight;
    private final int valueBytes;

    Workload(String label, int inFlight, int valueBytes) {
        this.label = label;
        this.inFlight = inFlight;
        this.valueBytes = valueBytes;
    }

    String label() {
        return label;
    }

    int inFlight() {
        return inFlight;
    }

    /** Size of the one record in each batch that is produced, or was before it is fetched. */
    int valueBytes() {
        return valueBytes;
    }

    /** Whether operations per second are its result rather than the round trip's time. */
    boolean isThroughput() {
        return inFlight > 1;
    }

    boolean isProduce() {
        return this == PRODUCE || ordinal() >= PRODUCE_1K.ordinal();
    }
}
