// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.slipstream.metrics.Label;

/** What a plugin grants; the lower-case name is the metric's label. */
public enum GrantKind {
    /** A client connection is bound. */
    SESSION,
    /** An offset of a partition may be read. */
    READ;

    private final String label = Label.valueOf(this);

    String label() {
        return label;
    }
}
