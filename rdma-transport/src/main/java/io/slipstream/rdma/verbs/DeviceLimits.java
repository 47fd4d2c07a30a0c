// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.io.IOException;

/** Limits of a device (ibv_query_device(3)). */
record DeviceLimits(int mostCompletions, int mostWorkRequests) {
    static DeviceLimits query(NativeVerbs natives, long context) throws IOException {
        int[] values = new int[2];
        natives.queryDevice(context, values);
        return new DeviceLimits(values[0], values[1]);
    }
}
