// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.meter;

import io.slipstream.metrics.Label;
import io.slipstream.metrics.MeterDefinition;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import java.util.List;

/**
 * Every meter of the proxy and its transport. docs/metrics.md is generated from this catalogue. Label values come from
 * closed sets (names of Kafka APIs, enum constants), never from clients. {@link MeterRegistry} folds series beyond
 * {@link MeterRegistry#MAX_SERIES} into one labelled {@code other}.
 */
public enum Meter implements MeterDefinition {
    REQUESTS(
            Kind.COUNTER,
            "Client requests that were answered or need no answer.",
            Label.open("api"),
            Label.of("path", "tcp", "rdma")),
    RECORDS(
            Kind.COUNTER,
            "Records produced or fetched, counted from the batch headers.",
            Label.open("api"),
            Label.of("path", "tcp", "rdma")),
    BYTES(
            Kind.COUNTER,
            "Bytes of Kafka frames without their size prefix. The direction is as seen from the client.",
            Label.open("api"),
            Label.of("path", "tcp", "rdma"),
            Label.of("direction", "request", "response")),
    FALLBACKS(
            Kind.COUNTER,
            "Requests, and parts of Fetches, that could use RDMA and went over TCP, by reason.",
            Label.of("reason", FallbackReason.class)),
    REQUEST_LATENCY(
            Kind.LATENCY,
            "Time from reading the last byte of a request to writing its response to the client's socket.",
            Label.open("api"),
            Label.of("path", "tcp", "rdma")),
    REQUESTS_IN_FLIGHT(Kind.GAUGE, "Requests read from clients and not yet answered."),

    TRANSPORT_OPERATIONS(
            Kind.COUNTER, "Work requests that completed successfully, by opcode.", Label.of("opcode", Opcode.class)),
    TRANSPORT_BYTES(
            Kind.COUNTER, "Bytes moved by completed work requests, by opcode.", Label.of("opcode", Opcode.class)),
    TRANSPORT_ERRORS(
            Kind.COUNTER,
            "Work requests that completed with an error, by status.",
            Label.allBut("status", CompletionStatus.SUCCESS)),
    TRANSPORT_IN_FLIGHT(Kind.GAUGE, "Work requests posted and not yet completed."),
    TRANSPORT_WAKEUPS(Kind.COUNTER, "Events written to wake a sleeping peer. Always 0 where the hardware does this."),
    TRANSPORT_LATENCY(
            Kind.LATENCY,
            "Time from posting to polled completion, of every read and of one write in 16, which returns ring "
                    + "space. For request, time from a request frame to the broker's reply.",
            Label.of("operation", "read", "request", "write")),
    REGISTERED_BYTES(Kind.GAUGE, "Bytes of memory registered with the transport."),
    READ_MEMORY_IN_USE_BYTES(Kind.GAUGE, "Bytes of registered memory in use for records that are sent to clients."),

    WAKEUP_LATENCY(
            Kind.LATENCY,
            "Time from a wake-up by another thread until the event loop runs, on the path of completions and "
                    + "doorbells. Sampled once a second per event loop."),

    CONNECTIONS(Kind.GAUGE, "Open TCP connections, by side.", Label.of("side", "client", "upstream")),
    CONNECTIONS_OPENED(
            Kind.COUNTER, "TCP connections opened since start, by side.", Label.of("side", "client", "upstream")),
    MAX_CONNECTIONS(Kind.GAUGE, "Maximum number of client connections (max.connections)."),
    OUTBOUND_BYTES(
            Kind.GAUGE,
            "Bytes of answers that the proxy holds: read by RDMA and not yet answered (read), in responses of brokers "
                    + "that are not yet whole or pass through (received), and waiting for clients' sockets (unsent).",
            Label.of("kind", "read", "received", "unsent")),
    OUTBOUND_WAITS(Kind.GAUGE, "Responses of brokers that are not read because max.outbound.bytes are in use."),
    MAX_OUTBOUND_BYTES(Kind.GAUGE, "Maximum number of bytes of answers that the proxy holds (max.outbound.bytes)."),
    DISCONNECTS(Kind.COUNTER, "Client connections closed, by cause.", Label.of("cause", DisconnectCause.class)),
    READY(Kind.GAUGE, "1 if the proxy serves clients, like /readyz, else 0."),
    LISTENERS(Kind.GAUGE, "Bound listener ports, including the bootstrap port."),
    BROKERS(Kind.GAUGE, "Brokers known to the proxy."),
    BROKERS_UNSERVED(Kind.GAUGE, "Known brokers whose port the proxy cannot open. Clients are not told of them."),

    RDMA_DEVICE(
            Kind.GAUGE, "1 for each open device, by provider and name.", Label.open("provider"), Label.open("device")),
    RDMA_ENABLED(Kind.GAUGE, "1 if the run-time switch allows RDMA, else 0."),
    LINKS_UP(Kind.GAUGE, "Links (a queue pair with rings and slots) that carry traffic."),
    LINK_FAILURES(
            Kind.COUNTER, "Links that broke or could not be set up, by cause.", Label.of("cause", LinkFailure.class)),
    SESSIONS_BOUND(Kind.GAUGE, "Client connections whose session is bound for RDMA."),
    GRANTS_GRANTED(
            Kind.COUNTER,
            "Grants received from brokers: sessions of client connections (session), reads of a partition (read).",
            Label.of("kind", GrantKind.class)),
    GRANTS_REFUSED(
            Kind.COUNTER,
            "Grants that brokers refused, by reason. docs/protocol.md explains the reasons.",
            Label.of("kind", GrantKind.class),
            Label.allBut("reason", ControlError.NONE)),
    GRANTS_REVOKED(Kind.COUNTER, "Grants that brokers revoked while this proxy used them.", Label.of("kind", "read")),
    GRANTS_EXPIRED(
            Kind.COUNTER, "Read grants that expired because the broker's heartbeat stopped for the length of a lease."),
    FENCES(
            Kind.COUNTER,
            "Queue pairs moved to error at the end of a link, before its requests take another path: drained, or "
                    + "abandoned because the device did not flush in time.",
            Label.of("outcome", "drained", "abandoned")),
    CREDITS_EXHAUSTED(
            Kind.COUNTER,
            "Requests that found no credit or no room in their link's ring. They waited, or went over TCP because"
                    + " they waited too long or could not wait (fell_back).",
            Label.of("outcome", "waited", "fell_back")),
    PRODUCE_BYTES(Kind.COUNTER, "Bytes of Produce requests written into request rings by RDMA."),
    GRANTS(Kind.GAUGE, "Partitions that this proxy may read by RDMA now."),
    RING_BYTES_IN_USE(Kind.GAUGE, "Bytes of request rings in use: written and not yet released."),
    PREFETCHED_BYTES(
            Kind.GAUGE, "Bytes read ahead for consumers and not yet delivered, or kept for others of the partition."),
    SHARED_READ_BYTES(Kind.COUNTER, "Bytes of records served to consumers from an earlier read for another consumer."),
    SLOT_RETRIES(Kind.COUNTER, "Slot reads repeated because the slot changed during the read."),
    FETCH_SESSIONS(Kind.GAUGE, "Fetch sessions (KIP-227) held by the proxy."),
    FETCH_WAITS(Kind.GAUGE, "Fetch requests that wait in the proxy for data."),

    BUILD_INFO(Kind.GAUGE, "Always 1. The labels name the build.", Label.open("version"), Label.open("revision"));

    private final Properties properties;

    Meter(Kind kind, String doc, Label... labels) {
        this.properties = new Properties("slipstream_", kind, doc, List.of(labels));
    }

    @Override
    public Properties properties() {
        return properties;
    }
}
