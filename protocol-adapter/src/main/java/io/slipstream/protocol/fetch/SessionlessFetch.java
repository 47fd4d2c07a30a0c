// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import java.nio.ByteBuffer;

/** Changes a full Fetch request, in place, so that the broker keeps no session. */
public final class SessionlessFetch {
    private static final short FIRST_SESSIONS = 7;
    private static final short FIRST_WITHOUT_REPLICA_ID = 15;
    /** Bytes of maxWaitMs i32, minBytes i32, maxBytes i32 and isolationLevel i8. */
    private static final int FIELDS_BEFORE_SESSION_BYTES = 13;

    private SessionlessFetch() {}

    /** Index of sessionId, which sessionEpoch follows; -1 if the version has none or the frame is too short. */
    public static int sessionIdPosition(ByteBuffer frame, int bodyPosition, short version) {
        if (version < FIRST_SESSIONS || version > FetchRequestView.LATEST_VERSION || bodyPosition < 0) {
            return -1;
        }
        int position =
                bodyPosition + (version < FIRST_WITHOUT_REPLICA_ID ? Integer.BYTES : 0) + FIELDS_BEFORE_SESSION_BYTES;
        return position > frame.limit() - 2 * Integer.BYTES ? -1 : position;
    }

    /**
     * Writes session id 0 and epoch -1. The caller must check that the request names all partitions
     * ({@link FetchSession#isFull()}).
     *
     * @return whether the request has session fields
     */
    public static boolean patch(ByteBuffer frame, int bodyPosition, short version) {
        int position = sessionIdPosition(frame, bodyPosition, version);
        if (position < 0) {
            return false;
        }
        frame.putInt(position, 0);
        frame.putInt(position + Integer.BYTES, FetchSession.FINAL_EPOCH);
        return true;
    }
}
