// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** What a batch of a log holds. */
public enum BatchType {
    DATA,
    TRANSACTIONAL,
    COMMIT_MARKER,
    ABORT_MARKER,
    OTHER_CONTROL;

    public boolean isControl() {
        return this != DATA && this != TRANSACTIONAL;
    }
}
