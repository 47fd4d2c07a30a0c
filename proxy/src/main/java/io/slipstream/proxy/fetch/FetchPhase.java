// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

/**
 * Where a {@link FetchAttempt} stands. Every arrow out of a reading phase is taken when all its READs have completed.
 *
 * <pre>
 *   IDLE ──begin──▶ LOCATING ──▶ READING_SLOTS ──▶ READING_DATA ──▶ RECHECKING ──(LISTING)──respond──▶ IDLE
 *                       ▲             │  ▲  │  ▲                         │
 *                       └─────────────┘  │  │  └── slot revoked or ──────┘
 *                          not located   │  │       given away meanwhile
 *                                        │  ├──▶ PROBING (size of the first batch) ──▶ planned again
 *                                        │  └──▶ armed, read once more, then PARKED
 *                                        └───────── doorbell, maximal wait over ──────────┘
 *   READING_TAIL, at a log's end, replaces all three reading phases if its guess is right; else it is READING_SLOTS
 *   any ──some partitions refused──▶ begun again without them (SplitFetch)
 *   any ──all refused, stale, link lost, deadline──▶ fall back ──▶ IDLE
 * </pre>
 */
enum FetchPhase {
    IDLE,
    LOCATING,
    READING_SLOTS,
    /** Reads the slot, the bytes that probably follow, and the slot again, as one request. */
    READING_TAIL,
    PROBING,
    READING_DATA,
    RECHECKING,
    /**
     * Requests the aborted transactions that a read_committed answer must list and that no earlier answer listed
     * ({@link AbortedLists}).
     */
    LISTING,
    PARKED
}
