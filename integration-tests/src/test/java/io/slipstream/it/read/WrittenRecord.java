// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

/**
 * A record with an acknowledged append.
 *
 * @param value its self-description
 * @param digest {@link WrittenValue#digest}
 * @param key compaction key; {@link #NO_KEY} in other topics
 * @param sentNs time of the send
 */
record WrittenRecord(WrittenValue value, long digest, int key, long sentNs) {
    static final int NO_KEY = -1;

    boolean isAborted() {
        return value.fate() == WrittenValue.Fate.ABORTED;
    }
}
