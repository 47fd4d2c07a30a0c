// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.meter;

/** Why a link could not be set up, or ended; the lower-case name is the label of the metric. */
public enum LinkFailure {
    /** The control connection was lost. */
    CONTROL_LOST,
    /** The plugin refused, or sent an invalid answer. */
    REFUSED,
    /** A step of the set-up, or a READ, timed out. */
    TIMEOUT,
    /** The provider that the plugin offers is unusable here, or is not the configured one. */
    PROVIDER,
    /** The device could not connect or had no memory. */
    CONNECT,
    /** The queue pair failed. */
    QUEUE_PAIR,
    /** The peer violated docs/protocol.md. */
    PROTOCOL,
    /** The proxy is shutting down. */
    CLOSED,
    /** The proxy failed, for example for lack of memory. */
    INTERNAL_ERROR
}
