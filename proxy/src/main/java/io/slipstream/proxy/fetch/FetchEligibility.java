// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.proxy.spi.FallbackReason;

/** Detects Fetch requests that only a broker can answer, regardless of its logs. Allocates nothing. */
final class FetchEligibility {
    private FetchEligibility() {}

    /**
     * @param replicaSelector whether the broker may send consumers with a rack to another replica
     * @return reason against RDMA; null if there is none
     */
    static FallbackReason reasonAgainst(FetchRequestView request, boolean replicaSelector, int mostPartitions) {
        if (request.replicaId() != FetchRequestView.NONE || (request.hasRack() && replicaSelector)) {
            return FallbackReason.REPLICA;
        } else if (request.partitionCount() > mostPartitions) {
            return FallbackReason.LIMIT;
        } else if (request.maxBytes() < 0 || request.isolationLevel() < 0 || request.isolationLevel() > 1) {
            return FallbackReason.NOT_ELIGIBLE;
        }
        for (int i = 0; i < request.partitionCount(); i++) {
            if (request.partition(i) < 0 || request.fetchOffset(i) < 0 || request.partitionMaxBytes(i) < 0) {
                return FallbackReason.NOT_ELIGIBLE;
            }
        }
        return null;
    }
}
