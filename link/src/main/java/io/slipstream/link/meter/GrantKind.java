// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.meter;

/** The kind of a grant of the plugin; the lower-case name is the label of the metric. */
public enum GrantKind {
    /** A client connection is bound. */
    SESSION,
    /** An offset of a partition may be read. */
    READ
}
