// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Nonces by which the broker recognises a client's own connection. A nonce has 128 random bits and is looked up by its
 * hash. It is valid once, for {@link #LIFETIME_NS}. The number of nonces is bounded. Any thread but for {@link #issue}.
 *
 * <pre>
 *   issue() ──▶ ISSUED ──observe(): the broker saw it──▶ OBSERVED ──use()──▶ gone
 *                 └────────────── 10 s ───────────────────┴─────────────────▶ gone
 * </pre>
 */
public final class NonceTable {
    private static final String PREFIX = "slipstream-";
    private static final int RANDOM_BYTES = 16;
    static final long LIFETIME_NS = 10_000_000_000L;

    /** @param lifetime null if it is unknown */
    public record Observed(ObservedConnection connection, SessionLifetime lifetime) {}

    private final SecureRandom random = new SecureRandom();
    private final ConcurrentHashMap<String, Nonce> nonces = new ConcurrentHashMap<>();
    private final int capacity;
    private final LongSupplier nanoTime;

    public NonceTable(int capacity, LongSupplier nanoTime) {
        this.capacity = capacity;
        this.nanoTime = nanoTime;
    }

    /** Issues a nonce for the link. Returns null if too many nonces are outstanding. Control thread. */
    public String issue(int linkId) {
        if (nonces.size() >= capacity) {
            return null;
        }
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        String nonce = PREFIX + HexFormat.of().formatHex(bytes);
        nonces.put(nonce, new Nonce(linkId, nanoTime.getAsLong() + LIFETIME_NS, new AtomicReference<>()));
        return nonce;
    }

    /**
     * Records that the broker handled an ApiVersions request with this nonce. A nonce can be observed once; returns
     * false otherwise.
     */
    public boolean observe(ObservedConnection connection, SessionLifetime lifetime) {
        Nonce nonce = nonces.get(connection.nonce());
        return nonce != null
                && !isExpired(nonce)
                && nonce.observed.compareAndSet(null, new Observed(connection, lifetime));
    }

    /**
     * Returns the connection that showed the nonce. Returns null if the broker has not seen it, or if it is unknown,
     * expired or of another link.
     */
    public Observed observed(int linkId, String name) {
        Nonce nonce = nonces.get(name);
        return nonce == null || nonce.linkId != linkId || isExpired(nonce) ? null : nonce.observed.get();
    }

    /**
     * Consumes an observed nonce. Returns false if its connection has closed, or if it was used or expired meanwhile.
     * Of several calls at the same time, one returns true: no name is issued twice.
     */
    public boolean use(String name) {
        return nonces.remove(name) != null;
    }

    /** Drops the nonce of a connection that closed before the nonce was used. */
    public void forget(String connectionId) {
        removeIf(nonce -> {
            Observed observed = nonce.observed.get();
            return observed != null && observed.connection().connectionId().equals(connectionId);
        });
    }

    /** Drops expired nonces and returns their number. */
    public int expire() {
        return removeIf(this::isExpired);
    }

    /** Drops the nonces of a link that is gone. */
    public void forgetLink(int linkId) {
        removeIf(nonce -> nonce.linkId == linkId);
    }

    private int removeIf(Predicate<Nonce> condition) {
        return (int) nonces.entrySet().stream()
                .filter(entry -> condition.test(entry.getValue()) && use(entry.getKey()))
                .count();
    }

    public boolean isEmpty() {
        return nonces.isEmpty();
    }

    private boolean isExpired(Nonce nonce) {
        return nanoTime.getAsLong() - nonce.deadlineNs >= 0;
    }

    private record Nonce(int linkId, long deadlineNs, AtomicReference<Observed> observed) {}
}
