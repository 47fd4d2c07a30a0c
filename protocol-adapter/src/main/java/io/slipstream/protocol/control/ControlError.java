// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

/**
 * Reason of a refusal by the plugin, with its code on the wire. Each of them makes the proxy use TCP; they differ in
 * whether and when the proxy may retry. Codes 9, 10 and 11 are reserved: older releases used them for a removed
 * feature. No error may reuse them.
 */
public enum ControlError {
    NONE(0),
    /**
     * Unknown, malformed or unexpected message, from a defect or an incompatible version. The plugin closes the
     * connection.
     */
    PROTOCOL(1),
    /** A bound (links, sessions, slots, registered bytes) is reached. The proxy may retry later. */
    LIMIT(2),
    /** The link, session, slot or nonce is unknown or expired. The proxy must start over with a new one. */
    UNKNOWN_HANDLE(3),
    /** The broker has not received the nonce: the connection did not reach the broker's request handling. */
    NOT_BOUND(4),
    /**
     * The broker's settings exclude the client's listener or principal from RDMA; the message names which. The proxy
     * must not retry for that connection.
     */
    RDMA_OFF(5),
    /**
     * Not leader, unknown partition, epoch mismatch, offset out of range, not authorized, remote log: the broker itself
     * must answer.
     */
    NOT_READABLE(6),
    /** The plugin is inert or shuts down. */
    INERT(7),
    /** Any other error; the message describes it. */
    INTERNAL(8),
    /** The peer has not proved that it has the secret of this control channel. The plugin closes the connection. */
    NOT_AUTHENTICATED(12);

    public final short code;

    ControlError(int code) {
        this.code = (short) code;
    }

    /** The error with that code; unknown codes of newer peers are read as {@link #INTERNAL}. */
    public static ControlError of(short code) {
        for (ControlError error : values()) {
            if (error.code == code) {
                return error;
            }
        }
        return INTERNAL;
    }
}
