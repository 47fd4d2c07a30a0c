// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

/**
 * The use of fetch sessions (KIP-227) by a Fetch request, determined by its session id and epoch. The right column
 * shows the answer of a broker that keeps no sessions.
 *
 * <pre>
 *   epoch -1, id 0, -1  SESSIONLESS   full answer, session id 0; no session has these ids
 *   epoch -1, other id  CLOSING       the session ends (no error if there is none); full answer, session id 0
 *   epoch  0            OPENING       full answer; session id 0 means: no session, continue with full fetches
 *   any other epoch     INCREMENTAL   only changes: FETCH_SESSION_ID_NOT_FOUND makes the client start over
 * </pre>
 */
public enum FetchSession {
    SESSIONLESS,
    CLOSING,
    OPENING,
    INCREMENTAL;

    static final int FINAL_EPOCH = -1;

    public static FetchSession of(int sessionId, int sessionEpoch) {
        return switch (sessionEpoch) {
            case FINAL_EPOCH -> sessionId == 0 || sessionId == -1 ? SESSIONLESS : CLOSING;
            case 0 -> OPENING;
            default -> INCREMENTAL;
        };
    }

    /** Whether the request names all partitions that the client fetches. */
    public boolean isFull() {
        return this != INCREMENTAL;
    }
}
