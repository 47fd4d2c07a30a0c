// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import java.util.Locale;

/** Decides which measures of a client are comparable. */
public enum ClientKind {
    PLAIN_PRODUCER,
    IDEMPOTENT_PRODUCER,
    TRANSACTIONAL_PRODUCER,
    OBSERVER,
    READ_UNCOMMITTED_READER,
    READ_COMMITTED_READER,
    MEMBER,
    COPIER;

    /** Returns whether the client sets its own pace. Other kinds wait for writes and commits of other clients. */
    boolean isSelfPaced() {
        return ordinal() <= OBSERVER.ordinal();
    }

    boolean isReader() {
        return this == READ_UNCOMMITTED_READER || this == READ_COMMITTED_READER || this == MEMBER;
    }

    /** Returns whether a broker can end its sessions. */
    boolean isFencible() {
        return this == IDEMPOTENT_PRODUCER || this == TRANSACTIONAL_PRODUCER || this == COPIER;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
