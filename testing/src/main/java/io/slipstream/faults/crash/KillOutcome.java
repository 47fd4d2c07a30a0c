// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import java.util.List;

/**
 * What one kill did.
 *
 * @param byRdma records that proxies, as far as they lived at its end, had produced by RDMA in the load before it
 * @param acknowledged records that were acknowledged in the load before it
 * @param beyondBytes of segment files, after their last valid batches, as the kill left them
 * @param torn partitions with such bytes
 * @param startNs from the start of the broker until it served; 0 if it did not die
 * @param cycleNs from the end of the kill before it
 * @param findings what is wrong with the logs that recovery made
 */
record KillOutcome(
        Kill kill,
        long byRdma,
        long acknowledged,
        long beyondBytes,
        int torn,
        long startNs,
        long cycleNs,
        List<String> findings) {
    KillOutcome with(List<String> found) {
        return new KillOutcome(kill, byRdma, acknowledged, beyondBytes, torn, startNs, cycleNs, List.copyOf(found));
    }
}
