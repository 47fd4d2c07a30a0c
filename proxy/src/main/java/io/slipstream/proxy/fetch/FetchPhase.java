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
 *   any ──some partitions refused──▶ begun again without them (SplitFetch)
 *   any ──all refused, stale, link lost, deadline──▶ fall back ──▶ IDLE
 * </pre>
 */
enum FetchPhase {
    IDLE,
    LOCATING,
    READING_SLOTS,
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
