// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

/** The highest offset read from a partition, over time. */
final class ReadMarks {
    private final LongList times = new LongList();
    private final LongList offsets = new LongList();

    /** Records only increases. A late timestamp counts as the latest so far, which weakens the claim. */
    void add(long atNs, long offset) {
        int size = times.size();
        if (size == 0 || offset > offsets.get(size - 1)) {
            times.add(size == 0 ? atNs : Math.max(atNs, times.get(size - 1)));
            offsets.add(offset);
        }
    }

    /** Returns -1 if nothing was read before. */
    long highestBefore(long ns) {
        int low = 0;
        int high = times.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (times.get(middle) < ns) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high < 0 ? -1 : offsets.get(high);
    }

    /** Returns when the offset or a higher one had been read; {@link SendColumns#NEVER} if it never was. */
    long reachedNs(long offset) {
        for (int i = 0; i < offsets.size(); i++) {
            if (offsets.get(i) >= offset) {
                return times.get(i);
            }
        }
        return SendColumns.NEVER;
    }
}
