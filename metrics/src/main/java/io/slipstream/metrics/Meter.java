// SPDX-License-Identifier: Apache-2.0
package io.slipstream.metrics;

import java.util.List;

/**
 * Every meter of the proxy and its transport: the document of record, from which docs/metrics.md is made. The first constructor argument is the name as it stands on
 * {@code /metrics}, the last ones are its labels. Labels take values from closed sets (names of Kafka APIs, enum constants), never from
 * clients; {@link MeterRegistry} folds what exceeds {@link MeterRegistry#MAX_SERIES} into one series labelled {@code other}.
 */
public enum Meter implements MeterDefinition {
    REQUESTS(
            "slipstream_requests_total",
            Kind.COUNTER,
            "Requests of clients that were answered or need no answer.",
            Label.open("api"),
            Label.of("path", "tcp", "rdma")),
    RECORDS(
            "slipstream_records_total",
            Kind.COUNTER,
            "Records produced or fetched, as counted in the batches' headers.",
            Label.open("api"),
            Label.of("path", "tcp", "rdma")),
    BYTES(
            "slipstream_bytes_total",
            Kind.COUNTER,
            "Bytes of Kafka frames without their size prefix; direction is request or response, seen from the client.",
            Label.open("api"),
            Label.of("path", "tcp", "rdma"),
            Label.of("direction", "request", "response")),
    FALLBACKS(
            "slipstream_fallbacks_total",
            Kind.COUNTER,
            "Produce and Fetch requests that went over TCP, by reason.",
            Label.of(
                    "reason",
                    "disabled",
                    "no_plugin",
                    "no_provider",
                    "link_down",
                    "session_not_bound",
                    "rdma_off",
                    "frame_too_large",
                    "ring_full",
                    "not_eligible",
                    "replica",
                    "not_readable",
                    "quota",
                    "aborted_transactions",
                    "revoked",
                    "stale_slots",
                    "limit")),
    REQUEST_LATENCY(
            "slipstream_request_latency_seconds",
            Kind.LATENCY,
            "Time from a request's last byte read to its response handed to the client's socket.",
            Label.open("api"),
            Label.of("path", "tcp", "rdma")),
    REQUESTS_IN_FLIGHT("slipstream_requests_in_flight", Kind.GAUGE, "Requests read from clients and not answered yet."),

    TRANSPORT_OPERATIONS(
            "slipstream_transport_operations_total",
            Kind.COUNTER,
            "Work requests that completed successfully, by opcode.",
            Label.of(
                    "opcode",
                    "write",
                    "write_with_imm",
                    "read",
                    "fetch_and_add",
                    "compare_and_swap",
                    "send",
                    "recv",
                    "recv_with_imm")),
    TRANSPORT_BYTES(
            "slipstream_transport_bytes_total",
            Kind.COUNTER,
            "Bytes moved by completed work requests, by opcode.",
            Label.of(
                    "opcode",
                    "write",
                    "write_with_imm",
                    "read",
                    "fetch_and_add",
                    "compare_and_swap",
                    "send",
                    "recv",
                    "recv_with_imm")),
    TRANSPORT_ERRORS(
            "slipstream_transport_errors_total",
            Kind.COUNTER,
            "Work requests that completed with an error, by status.",
            Label.of(
                    "status",
                    "loc_len_err",
                    "loc_prot_err",
                    "wr_flush_err",
                    "rem_access_err",
                    "rem_inv_req_err",
                    "retry_exc_err",
                    "rnr_retry_exc_err",
                    "general_err")),
    TRANSPORT_IN_FLIGHT("slipstream_transport_in_flight", Kind.GAUGE, "Work requests posted and not completed yet."),
    TRANSPORT_WAKEUPS(
            "slipstream_transport_wakeups_total",
            Kind.COUNTER,
            "Events written to wake a sleeping peer; stays 0 where the hardware does this."),
    TRANSPORT_LATENCY(
            "slipstream_transport_latency_seconds",
            Kind.LATENCY,
            "Time from posting to polled completion of one-sided operations (read: all; write, which gives ring space back: one in 16), and from a request frame to the broker's reply (request).",
            Label.of("operation", "read", "request", "write")),
    REGISTERED_BYTES("slipstream_registered_bytes", Kind.GAUGE, "Bytes of memory registered with the transport."),
    READ_MEMORY_IN_USE(
            "slipstream_read_memory_in_use_bytes",
            Kind.GAUGE,
            "Bytes of registered memory that hold records on their way to clients."),

    WAKEUP_LATENCY(
            "slipstream_wakeup_latency_seconds",
            Kind.LATENCY,
            "Time from another thread's wake-up of an event loop to that loop running it, by the way that completions and doorbells take; sampled once a second for each event loop."),

    CONNECTIONS(
            "slipstream_connections",
            Kind.GAUGE,
            "Open TCP connections; side is client or upstream.",
            Label.of("side", "client", "upstream")),
    CONNECTIONS_OPENED(
            "slipstream_connections_opened_total",
            Kind.COUNTER,
            "TCP connections opened since start, by side.",
            Label.of("side", "client", "upstream")),
    MAX_CONNECTIONS(
            "slipstream_max_connections", Kind.GAUGE, "Most client connections that are taken (max.connections)."),
    DISCONNECTS(
            "slipstream_disconnects_total",
            Kind.COUNTER,
            "Client connections closed, by cause.",
            Label.of(
                    "cause",
                    "client_closed",
                    "client_error",
                    "upstream_closed",
                    "upstream_error",
                    "upstream_unreachable",
                    "upstream_tls",
                    "upstream_protocol",
                    "frame_size",
                    "tls",
                    "plaintext",
                    "tls_failed",
                    "malformed_request",
                    "fast_path",
                    "idle",
                    "limit",
                    "broker_gone",
                    "drained",
                    "drain_deadline",
                    "internal_error")),
    READY("slipstream_ready", Kind.GAUGE, "1 if clients are served, as /readyz says, else 0."),
    LISTENERS("slipstream_listeners", Kind.GAUGE, "Bound listener ports, the bootstrap port included."),
    BROKERS("slipstream_brokers", Kind.GAUGE, "Brokers known to the proxy."),

    RDMA_DEVICE(
            "slipstream_rdma_device",
            Kind.GAUGE,
            "1 for each open device, by provider and name.",
            Label.open("provider"),
            Label.open("device")),
    RDMA_ENABLED("slipstream_rdma_enabled", Kind.GAUGE, "1 if the run-time switch allows RDMA, else 0."),
    LINKS_UP("slipstream_links_up", Kind.GAUGE, "Links (queue pair with rings and slots) that carry traffic."),
    LINK_FAILURES(
            "slipstream_link_failures_total",
            Kind.COUNTER,
            "Links that broke or could not be set up, by cause.",
            Label.of(
                    "cause",
                    "control_lost",
                    "refused",
                    "timeout",
                    "provider",
                    "connect",
                    "queue_pair",
                    "protocol",
                    "closed")),
    SESSIONS_BOUND("slipstream_sessions_bound", Kind.GAUGE, "Client connections whose session is bound for RDMA."),
    GRANTS_GRANTED(
            "slipstream_grants_granted_total",
            Kind.COUNTER,
            "What plugins granted: a client connection bound (session), an offset of a partition to be read (read).",
            Label.of("kind", "session", "read")),
    GRANTS_REFUSED(
            "slipstream_grants_refused_total",
            Kind.COUNTER,
            "What plugins refused to grant, by their reason, which docs/protocol.md explains.",
            Label.of("kind", "session", "read"),
            Label.of(
                    "reason",
                    "protocol",
                    "limit",
                    "unknown_handle",
                    "not_bound",
                    "rdma_off",
                    "not_readable",
                    "inert",
                    "internal",
                    "not_authenticated")),
    GRANTS_REVOKED(
            "slipstream_grants_revoked_total",
            Kind.COUNTER,
            "Grants that plugins took back and this proxy noticed while it used them.",
            Label.of("kind", "read")),
    GRANTS_EXPIRED(
            "slipstream_grants_expired_total",
            Kind.COUNTER,
            "Grants to read that stopped to count because the broker's heartbeat stood still for a lease."),
    FENCES(
            "slipstream_fences_total",
            Kind.COUNTER,
            "Queue pairs put in error at a link's end, before anything of it takes another way: drained, or abandoned because the device did not flush in time.",
            Label.of("outcome", "drained", "abandoned")),
    CREDITS_EXHAUSTED(
            "slipstream_credits_exhausted_total",
            Kind.COUNTER,
            "Requests that found no credit or no room in their link's ring and waited, or that waited in vain, or could not even wait, and took TCP (fell_back).",
            Label.of("outcome", "waited", "fell_back")),
    PRODUCE_BYTES(
            "slipstream_produce_bytes_total",
            Kind.COUNTER,
            "Bytes of Produce requests written into request rings by RDMA."),
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

    BUILD_INFO(
            "slipstream_build_info",
            Kind.GAUGE,
            "Always 1; the labels name the build.",
            Label.open("version"),
            Label.open("revision"));

    private final String id;
    private final Kind kind;
    private final String doc;
    private final List<Label> labels;

    Meter(String id, Kind kind, String doc, Label... labels) {
        this.id = id;
        this.kind = kind;
        this.doc = doc;
        this.labels = List.of(labels);
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public String doc() {
        return doc;
    }

    @Override
    public List<Label> labels() {
        return labels;
    }
}
