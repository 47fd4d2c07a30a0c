// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.io.IOException;

/** Limits of a device (ibv_query_device(3)). */
record DeviceLimits(int mostWorkRequests, int mostCompletions, int mostSegments, boolean hasAtomics) {
    // In the order of NativeVerbs.queryDevice.
    private static final int ATOMIC_CAP = 2;
    private static final int MAX_CQE = 3;
    private static final int MAX_QP_WR = 4;
    private static final int MAX_SGE = 5;
    private static final int COUNT = 7;

    static DeviceLimits query(NativeVerbs natives, long context) throws IOException {
        long[] values = new long[COUNT];
        natives.queryDevice(context, values);
        return new DeviceLimits(
                (int) values[MAX_QP_WR], (int) values[MAX_CQE], (int) values[MAX_SGE], values[ATOMIC_CAP] != 0);
    }
}
