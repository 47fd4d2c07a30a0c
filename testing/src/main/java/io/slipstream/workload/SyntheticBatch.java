// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.BatchType;

/** One batch of a {@link SyntheticLog}: values of one producer from {@code firstSequence}, or a marker. */
record SyntheticBatch(
        long baseOffset,
        int count,
        int producer,
        int firstSequence,
        BatchType type,
        int baseSequence,
        boolean committed) {
    long lastOffset() {
        return baseOffset + count - 1;
    }

    SyntheticBatch withCommitted() {
        return new SyntheticBatch(baseOffset, count, producer, firstSequence, type, baseSequence, true);
    }
}
