// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

/** The greatest offset read of a partition, over time. */
final class ReadMarks {
    private final LongList times = new LongList();
    private final LongList offsets = new LongList();

    /** Notes only what is higher than before; a time that comes late is taken for the latest so far, which claims less. */
    void add(long atNs, long offset) {
        int size = times.size();
        if (size == 0 || offset > offsets.get(size - 1)) {
            times.add(size == 0 ? atNs : Math.max(atNs, times.get(size - 1)));
            offsets.add(offset);
        }
    }

    /** -1 if nothing was read before. */
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
}
