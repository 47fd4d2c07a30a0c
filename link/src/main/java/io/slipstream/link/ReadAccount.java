// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.slipstream.protocol.control.ControlResponse.ReadAllowance;
import java.util.concurrent.TimeUnit;

/**
 * What one client connection was served by RDMA, and what it may still be served before the plugin must hear of it.
 * Most are not limited by any quota. Confined to the event loop; allocates nothing.
 *
 * <pre>
 *   UNKNOWN ──asked at the first Fetch──▶ UNLIMITED ◀──any report──▶ LIMITED (bytes, until)
 * </pre>
 */
public final class ReadAccount {
    private static final long GOOD_FOR_NS = TimeUnit.MILLISECONDS.toNanos(ReadAllowance.GOOD_FOR_MS);
    /**
     * Answers are not made smaller than that to fit a quota: the broker's own answer is cheaper than many small ones.
     */
    private static final int LEAST_ANSWER_BYTES = 64 << 10;

    private final ReadLedger ledger;
    private final int sessionId;
    private long unreportedBytes;
    private boolean isKnown;
    private boolean isLimited = true;
    private long allowedBytes;
    /**
     * At fewer allowed bytes than these the plugin is asked already, so that a fast client need not fall back for
     * asking late.
     */
    private long askBelowBytes;

    private long allowedUntilNs;

    /** Named in the next report. */
    boolean isDue;

    long askedAtNs = System.nanoTime() - ReadLedger.PERIOD_NS;

    ReadAccount(ReadLedger ledger, int sessionId) {
        this.ledger = ledger;
        this.sessionId = sessionId;
    }

    /**
     * Whether records of that size may be served. If not, the broker must answer: it knows by then, or a moment later,
     * of all that was served before, and the plugin is asked for more.
     */
    public boolean allows(long recordBytes) {
        if (!ledger.isLimiting() || !isLimited) {
            return true;
        } else if (recordBytes <= allowedBytes && allowedUntilNs - System.nanoTime() > 0) {
            return true;
        }
        ledger.ask(this);
        return false;
    }

    /**
     * {@link #allows}, but true as long as the plugin has not told: it will have by the time that a partition is
     * located.
     */
    public boolean mayAllow(long recordBytes) {
        return !isKnown || allows(recordBytes);
    }

    /** The size that answers are kept to. */
    public int mostBytes() {
        boolean isSmaller = ledger.isLimiting() && isLimited && allowedBytes >= LEAST_ANSWER_BYTES;
        return isSmaller ? (int) Math.min(allowedBytes, Integer.MAX_VALUE) : Integer.MAX_VALUE;
    }

    /** An answer of that size was served. */
    public void served(int responseBytes) {
        if (ledger.isLimiting()) {
            unreportedBytes += responseBytes;
            allowedBytes -= responseBytes;
            if (isLimited && allowedBytes < askBelowBytes) {
                askBelowBytes = 0;
                ledger.ask(this);
            } else {
                ledger.due(this);
            }
        }
    }

    int sessionId() {
        return sessionId;
    }

    boolean hasUnreported() {
        return unreportedBytes > 0;
    }

    long takeUnreportedBytes() {
        long taken = unreportedBytes;
        unreportedBytes = 0;
        return taken;
    }

    /** The plugin's answer to what was reported at {@link #askedAtNs}; what was served since comes off. */
    void allow(long bytes) {
        isKnown = true;
        isLimited = bytes != ReadAllowance.NO_LIMIT;
        allowedBytes = bytes - unreportedBytes;
        askBelowBytes = bytes >= LEAST_ANSWER_BYTES ? bytes / 2 : 0;
        allowedUntilNs = askedAtNs + GOOD_FOR_NS;
    }
}
