// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.client;

import io.slipstream.simulation.broker.ModelLog;

/** A consumer's position in one partition, and its knowledge at the time of the request. */
final class Position {
    static final int NO_EPOCH = -1;

    final ModelLog log;
    long offset;
    /** Epoch of the batch before the offset. */
    int epoch = NO_EPOCH;
    /** Leader epoch in the client's metadata. */
    int leaderEpoch;
    /** Largest number of bytes of an answer. */
    int maxBytes = 1 << 16;
    /** The watermarks at the time of the current Fetch. */
    ModelLog.Watermarks asked;

    int askedEpoch;
    boolean askedLeading;
    /** The watermarks of the last answer. */
    ModelLog.Watermarks lastSeen;

    int lastSeenEpoch;

    Position(ModelLog log) {
        this.log = log;
        refresh();
    }

    /** Asks for metadata. */
    void refresh() {
        leaderEpoch = log.announcedEpoch();
    }

    void seek(long to) {
        offset = to;
        epoch = NO_EPOCH;
    }

    void ask() {
        asked = log.watermarks();
        askedEpoch = log.leaderEpoch();
        askedLeading = log.isLeading();
    }

    /** Returns whether one broker has led the partition in one epoch since the request. */
    boolean isLedAsAsked() {
        return askedLeading && askedEpoch == log.leaderEpoch();
    }

    void see(ModelLog.Watermarks seen) {
        lastSeen = seen;
        lastSeenEpoch = log.leaderEpoch();
    }

    boolean sawInThisEpoch() {
        return lastSeen != null && lastSeenEpoch == log.leaderEpoch();
    }
}
