// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.util.HashMap;
import java.util.Map;

/**
 * The parts of {@code slipstream.registered.bytes} that principals hold. While there is room, each principal may take
 * it. If there is none, each principal that reads or waits is entitled to an equal part. A principal above its part
 * loses grants; one that would exceed its part waits until no other principal waits. A principal that asks for
 * everything therefore takes from others only the bytes beyond their parts. Any thread.
 */
final class RegisteredBytes {
    /** The result of a charge. */
    enum Outcome {
        TAKEN,
        /** There is no room, and the principal is entitled to more: other principals lose grants. */
        ENTITLED,
        /** There is no room, or others wait for it, and the charge would exceed the principal's part. */
        HAS_ITS_PART,
        /** The charge would exceed the bound of one principal. */
        BEYOND_BOUND
    }

    private final long limitBytes;
    private final long mostOfOneBytes;
    private final long patienceNs;
    private final Map<String, Long> byPrincipal = new HashMap<>();
    /** Principals that were entitled and found no room, with the time of their last attempt. */
    private final Map<String, Long> waiting = new HashMap<>();

    private long chargedBytes;

    /**
     * @param mostOfOneBytes largest number of bytes of one principal; 0 for no bound
     * @param patienceNs how long room is reserved for a principal that found none
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

    /** Returns the equal part of each principal that holds bytes or waits, this one included. */
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

    /** Returns whether the principal holds more than its part. */
    synchronized boolean isBeyondPart(String principal) {
        return held(principal) > partBytes(principal);
    }

    synchronized long chargedBytes() {
        return chargedBytes;
    }
}
