// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.metrics;

import io.slipstream.metrics.Label;
import io.slipstream.metrics.MeterDefinition;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Every meter of the plugin: the document of record, from which docs/metrics.md is made. It is here and not with the
 * proxy's, because it speaks of what only the plugin knows, and takes label values from the plugin's own enums. Names
 * on {@code /metrics} are {@value #PREFIX} and the constant in lower case, with {@code _total} for counters and
 * {@code _seconds} for latencies; in the broker's JMX the constant in camel case.
 */
public enum PluginMeter implements MeterDefinition {
    REQUESTS_LANDED(Kind.COUNTER, "Requests that proxies wrote into a request ring."),
    REQUEST_BYTES_LANDED(
            Kind.COUNTER,
            "Bytes of requests in request rings, which the broker copies to the page cache as it appends them."),
    REQUEST_BYTES_COPIED(
            Kind.COUNTER, "Of these, bytes of untrusted sessions, which were copied before they were read."),
    REQUESTS_REFUSED(
            Kind.COUNTER,
            "Requests that would have made a stock broker close the connection: unparsable, disabled API, no such session."),
    REQUESTS_LEFT_TO_TCP(Kind.COUNTER, "Requests that name an excluded topic, and what followed them on the ring."),
    RESPONSES_SENT(Kind.COUNTER, "Responses of the broker written into proxies' reply rings."),
    RESPONSES_WITHOUT_CONTENT(
            Kind.COUNTER,
            "Requests that the broker answers with nothing (acks=0), of which proxies are told all the same."),
    CONNECTIONS_CLOSED(
            Kind.COUNTER, "Requests answered by closing the client's connection, as the broker would have done."),
    THROTTLE_FRAMES(Kind.COUNTER, "Times that a proxy was told that the broker begins or ends to throttle a client."),
    DOORBELLS(Kind.COUNTER, "Times that a sleeping reader was woken because a watermark moved."),
    REPLY_STALLS(
            Kind.COUNTER,
            "Times that a reply had to wait because the proxy had not consumed the reply ring, or the send queue was full."),
    LINKS_OPENED(Kind.COUNTER, "Links that proxies asked for and got."),
    LINKS_ATTACHED(Kind.COUNTER, "Links that were set up completely."),
    LINKS_CLOSED(Kind.COUNTER, "Links that ended, for whatever reason."),
    LINKS_BROKEN(
            Kind.COUNTER, "Links that the plugin broke: illegal frames, failed operations, peers that do not read."),
    SESSIONS_BOUND(Kind.COUNTER, "Client connections that were bound to a link."),
    SESSIONS_ENDED(Kind.COUNTER, "Client connections that are not bound any more."),
    READ_REPORTS(Kind.COUNTER, "Reports of what proxies read one-sided."),
    NONCES_ISSUED(Kind.COUNTER, "Nonces given to proxies, one for each client connection to be bound."),
    NONCES_EXPIRED(Kind.COUNTER, "Nonces that no client connection showed in time."),
    NONCES_UNKNOWN(
            Kind.COUNTER,
            "Authenticated connections that showed a nonce which was not issued, or was shown before, or had expired."),
    CONTROL_CONNECTIONS(Kind.COUNTER, "Control connections that were accepted."),
    CONTROL_CONNECTIONS_REFUSED(
            Kind.COUNTER, "Control connections of users that may not connect, or beyond the bound of a listener."),
    CONTROL_AUTHENTICATION_FAILURES(Kind.COUNTER, "Control connections that did not prove to know the secret."),
    CONTROL_REQUESTS(Kind.COUNTER, "Requests on control connections."),
    CONTROL_REFUSALS(Kind.COUNTER, "Of these, refused ones."),
    CONTROL_PROTOCOL_ERRORS(Kind.COUNTER, "Control connections that broke the rules of docs/protocol.md."),
    HOOK_ERRORS(
            Kind.COUNTER, "Failures inside of hooks, which change nothing for the broker; anything but 0 is a bug."),

    GRANTS_GRANTED(
            Kind.COUNTER,
            "What was granted to proxies: a client connection bound (session), an offset of a partition to be read (read).",
            Label.of("kind", "session", "read")),
    GRANTS_REFUSED(
            Kind.COUNTER,
            "What was refused to proxies, by the reason that docs/protocol.md explains.",
            Label.of("kind", "session", "read"),
            allBut("reason", ControlError.NONE)),
    GRANTS_REVOKED(
            Kind.COUNTER,
            "Grants taken back while they were in use: the log was cut, rolled over or not led any more, rights or room were lost.",
            Label.of("kind", "read")),
    GRANTS_EXPIRED(
            Kind.COUNTER, "Partitions that could be read until the authentication of a client that read them expired."),
    FENCES(
            Kind.COUNTER,
            "Regions that proxies could write to, deregistered before their memory was used for something else: done, or not released by the proxy in time, so that the memory stays out of use (quarantined).",
            Label.of("outcome", "done", "quarantined")),
    COMMIT_LATENCY(
            Kind.LATENCY,
            "Time from taking a landed request from the completion queue to posting the broker's answer to it, replication included; requests that were taken together share one clock reading, and so do answers that were posted together."),

    SERVING(
            Kind.GAUGE,
            "1 while the plugin serves proxies, 0 while it is inert or has not started to; the broker serves over TCP either way."),
    BUILD_INFO(
            Kind.GAUGE,
            "Always 1; the labels name the build and the line of Kafka that it drives.",
            Label.open("version"),
            Label.open("line")),
    RDMA_DEVICE(
            Kind.GAUGE, "1 for the open device, by provider and name.", Label.open("provider"), Label.open("device")),
    LINKS_OPEN(Kind.GAUGE, "Links whose memory is not free yet, those that are closing included."),
    SESSIONS_OPEN(Kind.GAUGE, "Client connections that are bound now."),
    CONTROL_CONNECTIONS_OPEN(Kind.GAUGE, "Control connections that are open now."),
    CREDITS(Kind.GAUGE, "Requests that proxies may have in the rings of attached links at the same time."),
    CREDITS_IN_USE(Kind.GAUGE, "Requests in the rings of attached links that are not done."),
    RING_BYTES(Kind.GAUGE, "Bytes of the request rings of attached links."),
    RING_BYTES_IN_USE(Kind.GAUGE, "Bytes of those rings that hold requests that are not done."),
    REGISTERED_BYTES(Kind.GAUGE, "Bytes of memory and files registered with the transport."),
    SEGMENT_BYTES(Kind.GAUGE, "Of these, bytes of segments that are charged against slipstream.registered.bytes."),
    SEGMENT_BYTES_LIMIT(
            Kind.GAUGE,
            "What slipstream.registered.bytes allows, or half of the machine's memory where that is less and memory is pinned."),
    SLOTS(Kind.GAUGE, "Metadata slots of attached links."),
    SLOTS_IN_USE(Kind.GAUGE, "Of these, slots of partitions that are being read, or were within a lease."),

    TRANSPORT_OPERATIONS(
            Kind.COUNTER, "Work requests that completed successfully, by opcode.", Label.of("opcode", Opcode.class)),
    TRANSPORT_BYTES(
            Kind.COUNTER, "Bytes moved by completed work requests, by opcode.", Label.of("opcode", Opcode.class)),
    TRANSPORT_ERRORS(
            Kind.COUNTER,
            "Work requests that completed with an error, by status.",
            allBut("status", CompletionStatus.SUCCESS)),
    TRANSPORT_WAKEUPS(Kind.COUNTER, "Events written to wake a sleeping peer; stays 0 where the hardware does this.");

    static final String PREFIX = "slipstream_plugin_";

    private final Kind kind;
    private final String doc;
    private final List<Label> labels;

    PluginMeter(Kind kind, String doc, Label... labels) {
        this.kind = kind;
        this.doc = doc;
        this.labels = List.of(labels);
    }

    private static <E extends Enum<E>> Label allBut(String name, E left) {
        return new Label(
                name,
                Arrays.stream(left.getDeclaringClass().getEnumConstants())
                        .filter(value -> value != left)
                        .map(Label::valueOf)
                        .toList());
    }

    @Override
    public String id() {
        String suffix = switch (kind) {
            case COUNTER -> "_total";
            case GAUGE -> "";
            case LATENCY -> "_seconds";
        };
        return PREFIX + name().toLowerCase(Locale.ROOT) + suffix;
    }

    /** Name in the broker's JMX, such as {@code RequestsLanded}. */
    public String jmxName() {
        StringBuilder camel = new StringBuilder();
        for (String word : name().split("_")) {
            camel.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return camel.toString();
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
