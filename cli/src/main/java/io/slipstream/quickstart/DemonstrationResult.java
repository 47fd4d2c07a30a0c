// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import org.HdrHistogram.Histogram;

/**
 * What came of a demonstration.
 *
 * @param bulkNs time in which {@code bulkRecords} were sent at full speed and received
 * @param acknowledgedNs send to acknowledgement of records sent one at a time
 * @param deliveredNs send to receipt by the consumer of the same records
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
