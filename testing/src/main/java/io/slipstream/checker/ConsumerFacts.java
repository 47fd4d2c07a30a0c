// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.ConsumerKind;

/** A declared consumer. */
record ConsumerFacts(int consumer, ConsumerKind kind, String group, boolean readCommitted) {
    boolean isFinal() {
        return kind == ConsumerKind.FROM_ZERO;
    }

    String name() {
        return "consumer " + consumer + (group.isEmpty() ? "" : " of group " + group)
                + (readCommitted ? " (read_committed)" : "");
    }
}
