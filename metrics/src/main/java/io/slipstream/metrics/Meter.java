package io.slipstream.metrics;

import java.util.List;

/**
 * Every meter of Slipstream: the document of record. The first constructor argument is the name as it stands on
 * {@code /metrics}, the last ones are its labels. Labels take values from closed sets (names of Kafka APIs, enum constants), never from
 * clients; {@link MeterRegistry} folds what exceeds {@link MeterRegistry#MAX_SERIES} into one series labelled {@code other}.
 */
public enum Meter {
    REQUESTS(
            "slipstream_requests_total",
            Kind.COUNTER,
            "Requests of clients that were answered or need no answer.",
            "api",
            "path"),
    RECORDS(
            "slipstream_records_total",
            Kind.COUNTER,
            "Records produced or fetched, as counted in the batches' headers.",
            "api",
            "path"),
    BYTES(
            "slipstream_bytes_total",
            Kind.COUNTER,
            "Bytes of Kafka frames without their size prefix; direction is request or response, seen from the client.",
            "api",
            "path",
            "direction"),
    FALLBACKS(
            "slipstream_fallbacks_total",
            Kind.COUNTER,
            "Produce and Fetch requests that went over TCP, by reason.",
            "reason"),
    REQUEST_LATENCY(
            "slipstream_request_latency_seconds",
            Kind.LATENCY,
            "Time from a request's last byte read to its response handed to the client's socket.",
            "api",
            "path"),
    REQUESTS_IN_FLIGHT("slipstream_requests_in_flight", Kind.GAUGE, "Requests read from clients and not answered yet."),

    TRANSPORT_OPERATIONS(
            "slipstream_transport_operations_total",
            Kind.COUNTER,
            "Work requests that completed successfully, by opcode.",
            "opcode"),
    TRANSPORT_BYTES(
            "slipstream_transport_bytes_total",
            Kind.COUNTER,
            "Bytes moved by completed work requests, by opcode.",
            "opcode"),
    TRANSPORT_ERRORS(
            "slipstream_transport_errors_total",
            Kind.COUNTER,
            "Work requests that completed with an error, by status.",
            "status"),
    TRANSPORT_IN_FLIGHT("slipstream_transport_in_flight", Kind.GAUGE, "Work requests posted and not completed yet."),
    TRANSPORT_LATENCY(
            "slipstream_transport_latency_seconds",
            Kind.LATENCY,
            "Time from posting to polled completion of one-sided operations, or to the reply for a request frame.",
            "operation"),
    REGISTERED_BYTES("slipstream_registered_bytes", Kind.GAUGE, "Bytes of memory registered with the transport."),
    READ_MEMORY_IN_USE(
            "slipstream_read_memory_in_use_bytes",
            Kind.GAUGE,
            "Bytes of registered memory that hold records on their way to clients."),

    CONNECTIONS("slipstream_connections", Kind.GAUGE, "Open TCP connections; side is client or upstream.", "side"),
    CONNECTIONS_OPENED(
            "slipstream_connections_opened_total",
            Kind.COUNTER,
            "TCP connections opened since start, by side.",
            "side"),
    DISCONNECTS("slipstream_disconnects_total", Kind.COUNTER, "Client connections closed, by cause.", "cause"),
    ERRORS("slipstream_errors_total", Kind.COUNTER, "Operating errors that were handled, by cause.", "cause"),
    LISTENERS("slipstream_listeners", Kind.GAUGE, "Bound listener ports, the bootstrap port included."),
    BROKERS("slipstream_brokers", Kind.GAUGE, "Brokers known to the proxy."),

    RDMA_DEVICE(
            "slipstream_rdma_device",
            Kind.GAUGE,
            "1 for each open device, by provider and name.",
            "provider",
            "device"),
    RDMA_ENABLED("slipstream_rdma_enabled", Kind.GAUGE, "1 if the run-time switch allows RDMA, else 0."),
    LINKS_UP("slipstream_links_up", Kind.GAUGE, "Links (queue pair with rings and slots) that carry traffic."),
    LINK_FAILURES(
            "slipstream_link_failures_total",
            Kind.COUNTER,
            "Links that broke or could not be set up, by cause.",
            "cause"),
    SESSIONS_BOUND("slipstream_sessions_bound", Kind.GAUGE, "Client connections whose session is bound for RDMA."),
    GRANTS("slipstream_grants", Kind.GAUGE, "Partitions that may be read by RDMA now."),
    RING_BYTES_IN_USE("slipstream_ring_bytes_in_use", Kind.GAUGE, "Bytes of request rings written and not released."),
    PREFETCHED_BYTES(
            "slipstream_prefetched_bytes",
            Kind.GAUGE,
            "Bytes read ahead for consumers and not delivered yet, or kept for others that read the same partition."),
    SHARED_READ_BYTES(
            "slipstream_shared_read_bytes_total",
            Kind.COUNTER,
            "Bytes of records served to consumers that had been read once before, for another consumer."),
    SLOT_RETRIES(
            "slipstream_slot_retries_total",
            Kind.COUNTER,
            "Slot reads repeated because the slot changed while it was read."),
    FETCH_SESSIONS("slipstream_fetch_sessions", Kind.GAUGE, "Fetch sessions (KIP-227) kept by the proxy."),
    FETCH_WAITS("slipstream_fetch_waits", Kind.GAUGE, "Fetch requests waiting in the proxy for data."),

    BUILD_INFO("slipstream_build_info", Kind.GAUGE, "Always 1; the labels name the build.", "version", "revision");

    /** What a meter does with the values given to it. */
    public enum Kind {
        /** Only rises. */
        COUNTER,
        /** Rises and falls. */
        GAUGE,
        /** Histogram of durations; recorded in nanoseconds, exported in seconds. */
        LATENCY
    }

    private final String id;
    private final Kind kind;
    private final String doc;
    private final List<String> labels;

    Meter(String id, Kind kind, String doc, String... labels) {
        this.id = id;
        this.kind = kind;
        this.doc = doc;
        this.labels = List.of(labels);
    }

    /** Name on {@code /metrics}. */
    public String id() {
        return id;
    }

    public Kind kind() {
        return kind;
    }

    public String doc() {
        return doc;
    }

    /** Names of the labels, in the order in which values are given. */
    public List<String> labels() {
        return labels;
    }
}
