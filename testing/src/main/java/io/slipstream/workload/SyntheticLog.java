// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.BatchType;
import java.util.ArrayList;
import java.util.List;

/** A partition's log as an ideal broker would write it. Only one producer has an open transaction at a time. */
final class SyntheticLog {
    final int partition;
    final List<SyntheticBatch> batches = new ArrayList<>();
    private long end;
    /** First batch of the open transaction; -1 without one. */
    private int openFrom = -1;

    SyntheticLog(int partition) {
        this.partition = partition;
    }

    long end() {
        return end;
    }

    /** Returns the base offset. */
    long append(int count, int producer, int firstSequence, BatchType type, int baseSequence) {
        if (type == BatchType.TRANSACTIONAL && openFrom < 0) {
            openFrom = batches.size();
        }
        long base = end;
        batches.add(
                new SyntheticBatch(base, count, producer, firstSequence, type, baseSequence, type == BatchType.DATA));
        end += count;
        return base;
    }

    /** Ends the open transaction, if there is one. */
    void mark(int producer, boolean commit) {
        if (openFrom < 0) {
            return;
        }
        for (int i = openFrom; commit && i < batches.size(); i++) {
            if (batches.get(i).type() == BatchType.TRANSACTIONAL) {
                batches.set(i, batches.get(i).withCommitted());
            }
        }
        openFrom = -1;
        append(1, producer, -1, commit ? BatchType.COMMIT_MARKER : BatchType.ABORT_MARKER, -1);
    }

    /** Returns the number of batches visible to a reader. */
    int visible(boolean readCommitted) {
        return readCommitted && openFrom >= 0 ? openFrom : batches.size();
    }
}
