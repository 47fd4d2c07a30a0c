// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.slipstream.protocol.control.ControlResponse.ReadAllowance;
import java.util.concurrent.TimeUnit;

/**
 * The bytes that one client connection was served by RDMA, and the bytes that it may receive before the next report to
 * the plugin. Most clients have no quota. Confined to the event loop; allocates nothing.
 *
 * <pre>
 *   UNKNOWN ──asked at the first Fetch──▶ UNLIMITED ◀──any report──▶ LIMITED (bytes, until)
 * </pre>
 */
public final class ReadAccount {
    private static final long GOOD_FOR_NS = TimeUnit.MILLISECONDS.toNanos(ReadAllowance.GOOD_FOR_MS);
    /**
     * Answers are not reduced below this size to fit a quota: one answer of the broker costs less than many small ones.
     */
    private static final int LEAST_ANSWER_BYTES = 64 << 10;

    private final ReadLedger ledger;
    final int sessionId;
    long unreportedBytes;
    private boolean isKnown;
    private boolean isLimited = true;
    private long allowedBytes;
    /**
     * Below this number of allowed bytes the proxy asks the plugin, so that a fast client need not fall back in the
     * meantime.
     */
    private long askBelowBytes;

    private long allowedUntilNs;

    /** Whether the next report must include the session. */
    boolean isDue;

    long askedAtNs = System.nanoTime() - ReadLedger.PERIOD_NS;

    ReadAccount(ReadLedger ledger, int sessionId) {
        this.ledger = ledger;
        this.sessionId = sessionId;
    }

    /**
     * Whether records of that size may be served. If not, the broker must answer, and the plugin is asked for an
     * allowance. The report reaches the broker before or shortly after that request.
     */
    public boolean allows(long recordBytes) {
        if (!ledger.limiting || !isLimited) {
            return true;
        } else if (recordBytes <= allowedBytes && allowedUntilNs - System.nanoTime() > 0) {
            return true;
        }
        ledger.ask(this);
        return false;
    }

    /**
     * As {@link #allows}, but true while the allowance is unknown: the plugin answers before a partition is located.
     */
    public boolean mayAllow(long recordBytes) {
        return !isKnown || allows(recordBytes);
    }

    /** Largest size of an answer, in bytes. */
    public int mostBytes() {
        boolean isSmaller = ledger.limiting && isLimited && allowedBytes >= LEAST_ANSWER_BYTES;
        return isSmaller ? (int) Math.min(allowedBytes, Integer.MAX_VALUE) : Integer.MAX_VALUE;
    }

    /** Records that an answer of that size was served. */
    public void served(int responseBytes) {
        if (ledger.limiting) {
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

    long takeUnreportedBytes() {
        long taken = unreportedBytes;
        unreportedBytes = 0;
        return taken;
    }

    /** Takes the plugin's answer to the report of {@link #askedAtNs}, less the bytes served since then. */
    void allow(long bytes) {
        isKnown = true;
        isLimited = bytes != ReadAllowance.NO_LIMIT;
        allowedBytes = bytes - unreportedBytes;
        askBelowBytes = bytes >= LEAST_ANSWER_BYTES ? bytes / 2 : 0;
        allowedUntilNs = askedAtNs + GOOD_FOR_NS;
    }
}
