// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import java.util.List;

/**
 * The outcome of one kill.
 *
 * @param byRdma records that proxies alive at the kill produced by RDMA in the load before it
 * @param acknowledged records acknowledged in the load before the kill
 * @param beyondBytes bytes after the last valid batches of segment files after the kill
 * @param torn partitions with such bytes
 * @param startNs time from the broker's start until it served; 0 if it was not killed
 * @param cycleNs time since the end of the previous kill
 * @param findings errors in the recovered logs
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
