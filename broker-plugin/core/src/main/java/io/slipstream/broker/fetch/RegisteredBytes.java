// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.util.HashMap;
import java.util.Map;

/**
 * Which principal holds how much of {@code slipstream.registered.bytes}. While there is room everybody may take it.
 * When there is none, each principal that reads or wants to is entitled to an equal part: who holds more gives back,
 * who would hold more has to wait until nobody else wants. So one that asks for everything takes from the others only
 * what is beyond their parts. Any thread.
 */
final class RegisteredBytes {
    /** What became of a wish. */
    enum Outcome {
        TAKEN,
        /** There is no room, and the principal is entitled to some: others have to give back. */
        ENTITLED,
        /** There is no room, or others wait for it, and the principal has its part. */
        HAS_ITS_PART,
        /** The principal would hold more than any may. */
        BEYOND_BOUND
    }

    private final long limitBytes;
    private final long mostOfOneBytes;
    private final long patienceNs;
    private final Map<String, Long> byPrincipal = new HashMap<>();
    /** Those who were entitled and found no room, and when. */
    private final Map<String, Long> waiting = new HashMap<>();

    private long chargedBytes;

    /**
     * @param mostOfOneBytes that one principal may hold; 0: no such bound
     * @param patienceNs how long room is kept for one that found none
     */
    RegisteredBytes(long limitBytes, long mostOfOneBytes, long patienceNs) {
        this.limitBytes = limitBytes;
        this.mostOfOneBytes = mostOfOneBytes;
        this.patienceNs = patienceNs;
    }

    synchronized Outcome charge(String principal, long bytes, long nowNs) {
        waiting.values().removeIf(sinceNs -> nowNs - sinceNs > patienceNs);
        long after = held(principal) + bytes;
        if (mostOfOneBytes > 0 && after > mostOfOneBytes) {
            return Outcome.BEYOND_BOUND;
        }
        boolean isEntitled = after <= partBytes(principal);
        boolean othersWait = waiting.size() > (waiting.containsKey(principal) ? 1 : 0);
        if (chargedBytes + bytes > limitBytes || othersWait && !isEntitled) {
            if (isEntitled) {
                waiting.put(principal, nowNs);
            }
            return isEntitled ? Outcome.ENTITLED : Outcome.HAS_ITS_PART;
        }
        waiting.remove(principal);
        chargedBytes += bytes;
        byPrincipal.put(principal, after);
        return Outcome.TAKEN;
    }

    synchronized void discharge(String principal, long bytes) {
        chargedBytes -= bytes;
        byPrincipal.computeIfPresent(principal, (same, held) -> held == bytes ? null : held - bytes);
    }

    /** The equal part of each that holds something or waits, this one included. */
    private long partBytes(String principal) {
        int principals = byPrincipal.size();
        for (String other : waiting.keySet()) {
            principals += byPrincipal.containsKey(other) ? 0 : 1;
        }
        principals += byPrincipal.containsKey(principal) || waiting.containsKey(principal) ? 0 : 1;
        return limitBytes / principals;
    }

    private long held(String principal) {
        return byPrincipal.getOrDefault(principal, 0L);
    }

    /** Whether the principal holds more than its part. */
    synchronized boolean isBeyondPart(String principal) {
        return held(principal) > partBytes(principal);
    }

    synchronized long chargedBytes() {
        return chargedBytes;
    }
}
