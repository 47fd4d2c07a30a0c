// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

/**
 * Why the plugin refused; the code travels. All of them mean "use TCP"; they differ in whether and when to ask again.
 * Codes 9, 10 and 11 are reserved: older releases refused landings with them. No error may have them again.
 */
public enum ControlError {
    NONE(0),
    /**
     * Unknown or malformed message, or one out of order: a bug, or another version. The plugin closes the connection.
     */
    PROTOCOL(1),
    /** A bound (links, sessions, slots, registered bytes) is reached: ask again later. */
    LIMIT(2),
    /** The link, session, slot or nonce is not known (any more): start over with a new one. */
    UNKNOWN_HANDLE(3),
    /** The broker has not seen the nonce: the connection did not reach the broker's request handling. */
    NOT_BOUND(4),
    /**
     * The broker's settings leave the client's listener or principal to TCP; the message says which: do not ask again
     * for that connection.
     */
    RDMA_OFF(5),
    /**
     * Not leader, unknown partition, epoch mismatch, offset out of range, not authorized, remote log: the broker's own
     * answer is needed.
     */
    NOT_READABLE(6),
    /** The plugin is inert or shutting down. */
    INERT(7),
    /** Anything else; the message says it. */
    INTERNAL(8),
    /** The peer has not shown that it has the secret of this control channel. The plugin closes the connection. */
    NOT_AUTHENTICATED(12);

    private final short code;

    ControlError(int code) {
        this.code = (short) code;
    }

    public short code() {
        return code;
    }

    /** Unknown codes of newer peers read as {@link #INTERNAL}. */
    public static ControlError of(short code) {
        for (ControlError error : values()) {
            if (error.code == code) {
                return error;
            }
        }
        return INTERNAL;
    }
}
