// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.provider;

import io.slipstream.rdma.WorkRequest;

/** Checks of work requests that every provider makes before it posts them. Data path. */
public final class Requests {
    private Requests() {}

    /**
     * Returns the number of bytes that a request moves, or -1 if the request itself is malformed.
     *
     * @param maxBytes longest message
     */
    public static long wellFormedLength(WorkRequest request, long maxBytes) {
        if (request.opcode == null || request.segmentCount < 0 || request.segmentCount > WorkRequest.MAX_SEGMENTS) {
            return -1;
        }
        long total = 0;
        for (int i = 0; i < request.segmentCount; i++) {
            if (request.lengths[i] < 0) {
                return -1;
            }
            total += request.lengths[i];
        }
        return switch (request.opcode) {
            case WRITE, WRITE_WITH_IMM, READ -> total <= maxBytes ? total : -1;
            default -> -1;
        };
    }
}
