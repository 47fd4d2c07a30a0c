package io.slipstream.bench;

/** What is measured, with how many requests in flight and on how many connections. */
enum Workload {
    PRODUCE("produce 100 B, acks=1", Kind.PRODUCE, 1, 100),
    FETCH("fetch one batch", Kind.ONE_BATCH, 1, 100),
    EMPTY_FETCH("empty fetch", Kind.EMPTY, 1, 0, 0.5),
    EMPTY_FETCH_PIPELINED("empty fetches, 32 in flight", Kind.EMPTY, 32, 0, 1.0 / 8),
    PRODUCE_1K("produce 1 KiB", Kind.PRODUCE, 1, 1 << 10),
    PRODUCE_1K_PIPELINED("produce 1 KiB, 32 in flight", Kind.PRODUCE, 32, 1 << 10),
    PRODUCE_16K_PIPELINED("produce 16 KiB, 32 in flight", Kind.PRODUCE, 32, 16 << 10),
    /** As many as fit the request ring and the proxy's reading of the socket with room to spare. */
    PRODUCE_100K_PIPELINED("produce 100 KiB, 8 in flight", Kind.PRODUCE, 8, 100 << 10),
    FETCH_1K("fetch one batch of 1 KiB", Kind.ONE_BATCH, 1, 1 << 10, 0.5),
    FETCH_16K("fetch one batch of 16 KiB", Kind.ONE_BATCH, 1, 16 << 10, 0.5),
    /** One in flight on each. */
    EMPTY_FETCH_CONNECTIONS("empty fetches, 32 connections", Kind.EMPTY, 32, 0, 1.0 / 8),
    SCAN("scan, 1 consumer", Kind.SCAN, 1, 16 << 10, 1),
    SCAN_4("scan, 4 consumers", Kind.SCAN, 4, 16 << 10, 1),
    /** Each asks for the next answer when all have the last one, as consumers at a log's end do. */
    SCAN_4_IN_STEP("scan, 4 consumers in step", Kind.SCAN, 4, 16 << 10, 1);

    private static final double NO_TARGET = 0;

    private final String label;
    private final Kind kind;
    private final int inFlight;
    private final int valueBytes;
    private final double targetRatio;

    enum Kind {
        PRODUCE,
        /** At the end of an empty partition, no waiting. */
        EMPTY,
        /** The next batch of a log, limit 1 byte. */
        ONE_BATCH,
        /** A large log from its beginning to its end, 1 MiB a request. */
        SCAN
    }

    Workload(String label, Kind kind, int inFlight, int valueBytes) {
        this(label, kind, inFlight, valueBytes, NO_TARGET);
    }

    Workload(String label, Kind kind, int inFlight, int valueBytes, double targetRatio) {
        this.label = label;
        this.kind = kind;
        this.inFlight = inFlight;
        this.valueBytes = valueBytes;
        this.targetRatio = targetRatio;
    }

    String label() {
        return label;
    }

    Kind kind() {
        return kind;
    }

    int inFlight() {
        return inFlight;
    }

    /** Size of the one record in each batch that is produced, or was before it is fetched; of a scan the smallest. */
    int valueBytes() {
        return valueBytes;
    }

    /** The highest cost relative to direct that the RDMA way should have; 0 if none is set. */
    double targetRatio() {
        return targetRatio;
    }

    /** Whether its requests go out together, when all of the last ones are answered. */
    boolean isInStep() {
        return this == SCAN_4_IN_STEP;
    }

    /** Whether operations per second are its result rather than the round trip's time. */
    boolean isThroughput() {
        return inFlight > 1 || kind == Kind.SCAN;
    }

    /** Whether {@link FetchExchange} drives it: its answers are taken apart, and each request has a connection of its own. */
    boolean isFollowed() {
        return kind == Kind.SCAN || this == FETCH_1K || this == FETCH_16K || this == EMPTY_FETCH_CONNECTIONS;
    }
}
