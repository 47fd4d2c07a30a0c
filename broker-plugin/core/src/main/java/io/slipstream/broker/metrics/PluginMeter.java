// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.metrics;

import io.slipstream.metrics.Label;
import io.slipstream.metrics.MeterDefinition;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import java.util.List;
import java.util.Locale;

/**
 * All meters of the plugin; docs/metrics.md is generated from this enum. The plugin has an enum of its own because the
 * label values come from the plugin's enums. The name in the broker's JMX is the constant in camel case.
 */
public enum PluginMeter implements MeterDefinition {
    REQUESTS_LANDED(Kind.COUNTER, "Requests that proxies wrote into a request ring."),
    REQUEST_BYTES_LANDED(Kind.COUNTER, "Bytes of requests that proxies wrote into request rings."),
    REQUESTS_REFUSED(
            Kind.COUNTER,
            "Requests on which a stock broker would close the connection: unparsable, disabled API, unknown session."),
    REQUESTS_LEFT_TO_TCP(
            Kind.COUNTER,
            "Requests handed back to TCP: they name an excluded topic, follow such a request on the ring, or arrive"
                    + " when the plugin's settings change."),
    RESPONSES_SENT(Kind.COUNTER, "Responses of the broker written into proxies' reply rings."),
    RESPONSES_WITHOUT_CONTENT(Kind.COUNTER, "Empty replies to requests without a response (acks=0)."),
    CONNECTIONS_CLOSED(
            Kind.COUNTER, "Requests answered by closing the client's connection, as the broker would have done."),
    THROTTLE_FRAMES(Kind.COUNTER, "Frames that tell a proxy that the broker begins or ends to throttle a client."),
    DOORBELLS(Kind.COUNTER, "Wake-ups of sleeping readers because a watermark moved."),
    REPLY_STALLS(Kind.COUNTER, "Replies that waited because the reply ring or the send queue was full."),
    LINKS_OPENED(Kind.COUNTER, "Links that were opened for proxies."),
    LINKS_ATTACHED(Kind.COUNTER, "Links whose set-up completed."),
    LINKS_CLOSED(Kind.COUNTER, "Links that ended, for any reason."),
    LINKS_BROKEN(
            Kind.COUNTER, "Links that the plugin ended: illegal frames, failed operations, peers that do not read."),
    SESSIONS_BOUND(Kind.COUNTER, "Client connections that were bound to a link."),
    SESSIONS_ENDED(Kind.COUNTER, "Client connections whose binding ended."),
    READ_REPORTS(Kind.COUNTER, "Reports of one-sided reads by proxies."),
    NONCES_ISSUED(Kind.COUNTER, "Nonces issued to proxies, one for each client connection to bind."),
    NONCES_EXPIRED(Kind.COUNTER, "Nonces that expired before a client connection presented them."),
    NONCES_UNKNOWN(Kind.COUNTER, "Authenticated connections that presented an unknown, used or expired nonce."),
    CONTROL_CONNECTIONS(Kind.COUNTER, "Control connections that were accepted."),
    CONTROL_CONNECTIONS_REFUSED(
            Kind.COUNTER, "Control connections of users that may not connect, or beyond the bound of a listener."),
    CONTROL_AUTHENTICATION_FAILURES(Kind.COUNTER, "Control connections that failed to prove the secret."),
    CONTROL_REQUESTS(Kind.COUNTER, "Requests on control connections."),
    CONTROL_REFUSALS(Kind.COUNTER, "Requests on control connections that were refused."),
    CONTROL_PROTOCOL_ERRORS(Kind.COUNTER, "Control connections that violated docs/protocol.md."),
    HOOK_ERRORS(Kind.COUNTER, "Failures inside hooks. The broker is not affected; any value but 0 is a bug."),

    GRANTS_GRANTED(
            Kind.COUNTER,
            "Grants to proxies: a bound client connection (session), or reads of a partition from an offset (read).",
            Label.of("kind", "session", "read")),
    GRANTS_REFUSED(
            Kind.COUNTER,
            "Grants refused to proxies, by kind and reason. docs/protocol.md explains the reasons.",
            Label.of("kind", "session", "read"),
            Label.allBut("reason", ControlError.NONE)),
    GRANTS_REVOKED(
            Kind.COUNTER,
            "Grants revoked while in use: a truncated or rolled log, lost leadership or rights, or a lack of room.",
            Label.of("kind", "read")),
    GRANTS_EXPIRED(Kind.COUNTER, "Read grants that ended because a client's authentication expired."),
    HEARTBEATS_WITHHELD(
            Kind.COUNTER,
            "Heartbeats that were withheld because the rights of readers could not be checked for a lease: an"
                    + " authorizer or a log hangs. Proxies read over TCP meanwhile."),
    FENCES(
            Kind.COUNTER,
            "Deregistrations of regions that proxies could write to, before their memory is reused: done, or not"
                    + " released by the proxy in time, so that the memory stays unused (quarantined).",
            Label.of("outcome", "done", "quarantined")),
    REPLICATION_FETCHES(Kind.COUNTER, "Fetches of this broker's followers.", Label.of("path", "rdma", "tcp")),
    REPLICATION_BYTES(Kind.COUNTER, "Bytes of answers to this broker's followers that came by RDMA."),
    REPLICATION_FALLBACKS(
            Kind.COUNTER,
            "Fetches of this broker's followers that left RDMA for TCP.",
            Label.of("reason", "refused", "ring_full", "link_lost", "timed_out", "unreadable")),
    FOLLOWER_FETCHES(
            Kind.COUNTER,
            "Fetches of this broker's followers, by the leader that they fetch from.",
            Label.open("leader"),
            Label.of("path", "rdma", "tcp")),
    FOLLOWER_FALLBACKS(
            Kind.COUNTER,
            "Fetches of this broker's followers that left RDMA for TCP, by leader.",
            Label.open("leader"),
            Label.of("reason", "refused", "ring_full", "link_lost", "timed_out", "unreadable")),
    TRANSACTION_ADDITIONS(
            Kind.COUNTER,
            "Times that partitions were added to a transaction for a request on a ring: by this broker's coordinator"
                    + " (local), or by a request to the coordinator (tcp).",
            Label.of("path", "local", "tcp")),
    TRANSACTION_RETRIES(
            Kind.COUNTER, "Retries of such additions, because the coordinator was ending the last transaction."),
    HANDLING_LATENCY(
            Kind.LATENCY,
            "Time that a handler thread spent in the broker with one request, waits for disks and locks included. Its"
                    + " sum is the use of the handler threads."),
    COMMIT_LATENCY(
            Kind.LATENCY,
            "Time from taking a request from the completion queue to posting the broker's answer, replication"
                    + " included. Requests taken together share one clock reading, and so do answers posted together."),

    SERVING(
            Kind.GAUGE,
            "1 while the plugin serves proxies, 0 while it is inert or still starting. The broker always serves TCP."),
    BUILD_INFO(
            Kind.GAUGE,
            "Always 1; the labels name the build and the Kafka line.",
            Label.open("version"),
            Label.open("line")),
    RDMA_DEVICE(
            Kind.GAUGE, "1 for the open device, by provider and name.", Label.open("provider"), Label.open("device")),
    REPLICATION_LINKS(Kind.GAUGE, "Links from this broker to leaders."),
    FOLLOWER_SESSIONS(Kind.GAUGE, "Fetchers of this broker that the leader lets use RDMA.", Label.open("leader")),
    FOLLOWER_PARTITIONS(
            Kind.GAUGE,
            "Partitions that this broker follows, by leader and by the path of the last Fetch of their fetcher.",
            Label.open("leader"),
            Label.of("path", "rdma", "tcp")),
    FOLLOWER_LAG_RECORDS(
            Kind.GAUGE,
            "Highest lag of these partitions behind the high watermark, as of their last answers.",
            Label.open("leader"),
            Label.of("path", "rdma", "tcp")),
    FOLLOWER_FETCH_AGE_MS(
            Kind.GAUGE,
            "Time since the last Fetch was sent, of the leader's fetcher for which it is longest. An idle fetcher sends"
                    + " one each replica.fetch.wait.max.ms.",
            Label.open("leader")),
    LINKS_OPEN(Kind.GAUGE, "Links whose memory is not yet free, closing links included."),
    LINKS_WAITING(Kind.GAUGE, "Links that wait until others are set up."),
    SESSIONS_OPEN(Kind.GAUGE, "Client connections that are bound now."),
    CONTROL_CONNECTIONS_OPEN(Kind.GAUGE, "Control connections that are open now."),
    CREDITS(Kind.GAUGE, "Credits of attached links: requests that proxies may have in their rings at a time."),
    CREDITS_IN_USE(Kind.GAUGE, "Requests in the rings of attached links that are not handled."),
    REQUESTS_STUCK(
            Kind.GAUGE,
            "Requests that keep a handler thread in the broker for so long that another one took its place. A handler"
                    + " thread has num.io.threads others to take its place; if all are stuck, its requests wait."),
    REQUESTS_WAITING(
            Kind.GAUGE,
            "Handled requests that wait for an answer, for example for followers. They hold no credit or ring space."),
    RING_BYTES(Kind.GAUGE, "Bytes of the request rings of attached links."),
    RING_BYTES_IN_USE(Kind.GAUGE, "Bytes of request rings that hold requests in use."),
    MOVED_BYTES(
            Kind.GAUGE,
            "Bytes of unanswered requests that were moved out of request rings: transactional ones, and those behind them."),
    REGISTERED_BYTES(Kind.GAUGE, "Bytes of memory and files registered with the transport."),
    SEGMENT_BYTES(
            Kind.GAUGE,
            "Bytes charged against slipstream.registered.bytes: pinned bytes of segments, or 4 KiB for a segment that"
                    + " is not pinned."),
    SEGMENT_BYTES_LIMIT(
            Kind.GAUGE,
            "Limit of registered segment bytes: slipstream.registered.bytes, or half of the machine's memory if that"
                    + " is less and memory is pinned."),
    REGIONS(Kind.GAUGE, "Regions of segments that are registered now."),
    REGIONS_LIMIT(
            Kind.GAUGE,
            "Limit of these regions: half of vm.max_map_count where a region is a mapping; practically none with shm."),
    DESCRIPTORS_OPEN(Kind.GAUGE, "Descriptors that the broker's process has open."),
    DESCRIPTORS_LIMIT(
            Kind.GAUGE, "Open descriptors from which on no link is opened: half of the process's limit (ulimit -n)."),
    SLOTS(Kind.GAUGE, "Metadata slots of attached links."),
    QUESTIONS_WAITING(Kind.GAUGE, "Locate and ListAborted requests of proxies that wait for a thread."),
    SLOTS_IN_USE(Kind.GAUGE, "Metadata slots of partitions that are being read, or were within the last lease."),

    TRANSPORT_OPERATIONS(
            Kind.COUNTER, "Work requests that completed successfully, by opcode.", Label.of("opcode", Opcode.class)),
    TRANSPORT_BYTES(
            Kind.COUNTER, "Bytes moved by completed work requests, by opcode.", Label.of("opcode", Opcode.class)),
    TRANSPORT_ERRORS(
            Kind.COUNTER,
            "Work requests that completed with an error, by status.",
            Label.allBut("status", CompletionStatus.SUCCESS)),
    TRANSPORT_WAKEUPS(Kind.COUNTER, "Events written to wake a sleeping peer; 0 where the hardware does this.");

    private final Properties properties;

    PluginMeter(Kind kind, String doc, Label... labels) {
        this.properties = new Properties("slipstream_plugin_", kind, doc, List.of(labels));
    }

    /** Returns the name in the broker's JMX, such as {@code RequestsLanded}. */
    public String jmxName() {
        StringBuilder camel = new StringBuilder();
        for (String word : name().split("_")) {
            camel.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return camel.toString();
    }

    @Override
    public Properties properties() {
        return properties;
    }
}
