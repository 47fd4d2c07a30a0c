// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** The content of a log batch. */
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
