package io.slipstream.broker.metrics;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** What the plugin counts, from its start. Any thread. */
public final class PluginCounters {
    /** What is counted; the enum's name is the counter's. */
    public enum Counter {
        REQUESTS_LANDED,
        REQUEST_BYTES_LANDED,
        /** Of these, bytes of untrusted sessions, which were copied before they were read. */
        REQUEST_BYTES_COPIED,
        /** Requests that would have made a stock broker close the connection: unparsable, disabled API, no such session. */
        REQUESTS_REFUSED,
        /** Requests that name an excluded topic, and what followed them on the ring. */
        REQUESTS_LEFT_TO_TCP,
        RESPONSES_SENT,
        RESPONSES_WITHOUT_CONTENT,
        CONNECTIONS_CLOSED,
        THROTTLE_FRAMES,
        DOORBELLS,
        /** A reply had to wait because the proxy had not consumed the reply ring, or the send queue was full. */
        REPLY_STALLS,
        LINKS_OPENED,
        LINKS_ATTACHED,
        LINKS_CLOSED,
        /** Links that the plugin broke: illegal frames, failed operations, peers that do not read. */
        LINKS_BROKEN,
        SESSIONS_BOUND,
        SESSIONS_ENDED,
        /** Reports of what proxies read one-sided. */
        READ_REPORTS,
        NONCES_ISSUED,
        NONCES_EXPIRED,
        /** Authenticated connections that showed a nonce which was not issued, or was shown before, or had expired. */
        NONCES_UNKNOWN,
        CONTROL_CONNECTIONS,
        /** Of users that may not connect, or beyond the bound of a listener. */
        CONTROL_CONNECTIONS_REFUSED,
        CONTROL_AUTHENTICATION_FAILURES,
        CONTROL_REQUESTS,
        CONTROL_REFUSALS,
        CONTROL_PROTOCOL_ERRORS,
        HOOK_ERRORS,
        LANDINGS_BEGUN,
        LANDINGS_ENDED,
        /** Somebody else wanted to write, roll or cut the log, or a batch was refused, or its settings changed. */
        LANDINGS_REVOKED,
        BATCHES_COMMITTED_IN_PLACE,
        /** Placed batches that were appended elsewhere than where they lay: one before them was refused, or the broker made another of them. */
        BATCHES_MOVED,
        /** Appends that were refused, as by a broker that does not lead, because of a landing that did not end in time. */
        LANDING_CONFLICTS,
        /** Shared landings that ended because an order that was reserved never came. */
        LANDING_HOLES,
        /** Places that the broker reserved in shared landings, for batches that were not placed. */
        TURNS_RESERVED
    }

    private final Map<Counter, LongAdder> counters = new EnumMap<>(Counter.class);

    public PluginCounters() {
        for (Counter counter : Counter.values()) {
            counters.put(counter, new LongAdder());
        }
    }

    public void increment(Counter counter) {
        counters.get(counter).increment();
    }

    public void add(Counter counter, long value) {
        counters.get(counter).add(value);
    }

    public long get(Counter counter) {
        return counters.get(counter).sum();
    }

    /** All counters by name, sorted. */
    public Map<String, Long> snapshot() {
        Map<String, Long> snapshot = new TreeMap<>();
        counters.forEach((counter, value) -> snapshot.put(counter.name(), value.sum()));
        return snapshot;
    }
}
