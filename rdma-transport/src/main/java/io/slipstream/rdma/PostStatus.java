// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

/** Results of posting a request. Results {@code >= 0} mean that the request was accepted. */
public final class PostStatus {
    /** Accepted. */
    public static final long POSTED = 0;
    /** The send or receive queue is full. Poll the completion queue, then post again. */
    public static final long QUEUE_FULL = -1;
    /** The queue pair is no longer connected. Close it, then reconnect or use another path. */
    public static final long NOT_CONNECTED = -2;
    /**
     * The request is malformed (too many segments, negative length). Nothing was posted. This is a
     * programming error.
     */
    public static final long INVALID_REQUEST = -3;

    private PostStatus() {}

    public static String name(long status) {
        return switch ((int) status) {
            case (int) QUEUE_FULL -> "QUEUE_FULL";
            case (int) NOT_CONNECTED -> "NOT_CONNECTED";
            case (int) INVALID_REQUEST -> "INVALID_REQUEST";
            default -> status >= 0 ? "POSTED" : "UNKNOWN(" + status + ")";
        };
    }
}
