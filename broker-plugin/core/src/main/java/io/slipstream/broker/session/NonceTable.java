// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Nonces with which proxies have the broker recognise a client's own connection. 128 random bits each, looked up by
 * hash, single use, good for {@link #LIFETIME_NS}, bounded in number. Any thread.
 *
 * <pre>
 *   issue() ──▶ ISSUED ──observe(): the broker saw it──▶ OBSERVED ──use()──▶ gone
 *                 └────────────── 10 s ───────────────────┴─────────────────▶ gone
 * </pre>
 */
public final class NonceTable {
    public static final String PREFIX = "slipstream-";
    static final int RANDOM_BYTES = 16;
    static final int LENGTH = PREFIX.length() + 2 * RANDOM_BYTES;
    static final long LIFETIME_NS = 10_000_000_000L;

    /** @param lifetime null if it is not known */
    public record Observed(ObservedConnection connection, SessionLifetime lifetime) {}

    private final SecureRandom random = new SecureRandom();
    private final ConcurrentHashMap<String, Nonce> nonces = new ConcurrentHashMap<>();
    private final AtomicInteger size = new AtomicInteger();
    private final int capacity;
    private final LongSupplier nanoTime;

    public NonceTable(int capacity, LongSupplier nanoTime) {
        this.capacity = capacity;
        this.nanoTime = nanoTime;
    }

    /** A new nonce for that link, or null if too many are waiting. */
    public String issue(int linkId) {
        if (size.incrementAndGet() > capacity) {
            size.decrementAndGet();
            return null;
        }
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        String nonce = PREFIX + HexFormat.of().formatHex(bytes);
        nonces.put(nonce, new Nonce(linkId, nanoTime.getAsLong() + LIFETIME_NS));
        return nonce;
    }

    /** Whether a client software name has a nonce's form; costs nothing for those of ordinary clients. */
    public static boolean isNonce(String softwareName) {
        return softwareName.length() == LENGTH && softwareName.startsWith(PREFIX);
    }

    /** The broker handled an ApiVersions request with that name. A nonce can be observed once. */
    public boolean observe(ObservedConnection connection, SessionLifetime lifetime) {
        Nonce nonce = nonces.get(connection.softwareName());
        return nonce != null && !isExpired(nonce) && nonce.observe(new Observed(connection, lifetime));
    }

    /**
     * What was observed with the nonce; null if the broker did not see it, or it is unknown, expired or of another
     * link.
     */
    public Observed observed(int linkId, String name) {
        Nonce nonce = nonces.get(name);
        return nonce == null || nonce.linkId != linkId || isExpired(nonce) ? null : nonce.observed;
    }

    /** Uses an observed nonce up; false if its connection closed, or it was used or expired meanwhile. */
    public boolean use(String name) {
        Nonce nonce = nonces.get(name);
        return nonce != null && remove(name, nonce);
    }

    /** The connection closed before its nonce was confirmed. */
    public void forget(String connectionId) {
        removeIf(nonce -> nonce.observed != null
                && nonce.observed.connection().connectionId().equals(connectionId));
    }

    /** Drops those that were not confirmed in time; returns how many. */
    public int expire() {
        return removeIf(this::isExpired);
    }

    /** The link is gone. */
    public void forgetLink(int linkId) {
        removeIf(nonce -> nonce.linkId == linkId);
    }

    private int removeIf(Predicate<Nonce> condition) {
        int[] removed = new int[1];
        nonces.forEach((name, nonce) -> {
            if (condition.test(nonce) && remove(name, nonce)) {
                removed[0]++;
            }
        });
        return removed[0];
    }

    public boolean isEmpty() {
        return nonces.isEmpty();
    }

    private boolean remove(String name, Nonce nonce) {
        if (nonces.remove(name, nonce)) {
            size.decrementAndGet();
            return true;
        }
        return false;
    }

    private boolean isExpired(Nonce nonce) {
        return nanoTime.getAsLong() - nonce.deadlineNs >= 0;
    }

    private static final class Nonce {
        private final int linkId;
        private final long deadlineNs;
        private volatile Observed observed;

        Nonce(int linkId, long deadlineNs) {
            this.linkId = linkId;
            this.deadlineNs = deadlineNs;
        }

        synchronized boolean observe(Observed connection) {
            if (observed != null) {
                return false;
            }
            observed = connection;
            return true;
        }
    }
}
