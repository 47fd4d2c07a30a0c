// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

/**
 * A record whose append was acknowledged.
 *
 * @param value what it says of itself
 * @param digest {@link WrittenValue#digest}
 * @param key by which its topic may be compacted; {@link #NO_KEY} elsewhere
 * @param sentNs when it was given to the producer
 */
record WrittenRecord(WrittenValue value, long digest, int key, long sentNs) {
    static final int NO_KEY = -1;

    boolean isAborted() {
        return value.fate() == WrittenValue.Fate.ABORTED;
    }
}
