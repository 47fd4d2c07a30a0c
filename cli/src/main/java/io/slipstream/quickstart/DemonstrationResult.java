// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import org.HdrHistogram.Histogram;

/**
 * The result of a demonstration.
 *
 * @param bulkNs time to send {@code bulkRecords} at full speed and receive them
 * @param acknowledgedNs time from send to acknowledgement of single records
 * @param deliveredNs time from send to receipt by the consumer of the same records
 */
record DemonstrationResult(
        long produced,
        long consumed,
        long mismatches,
        long bulkRecords,
        long bulkNs,
        Histogram acknowledgedNs,
        Histogram deliveredNs,
        String failure) {
    boolean isExact() {
        return failure == null && mismatches == 0 && produced == consumed;
    }
}
