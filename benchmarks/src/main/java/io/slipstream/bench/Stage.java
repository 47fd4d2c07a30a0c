// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.io.IOException;
import java.util.Map;
import java.util.Set;

/**
 * The processes under test: brokers, and on each way a proxy or an echo floor. All run; ways not being measured idle.
 */
interface Stage {
    Set<Way> ways();

    /** Opens new connections on the way and checks their answers. */
    Exchange open(Way way, Workload workload) throws IOException;

    /** Use of all brokers so far. */
    ProcessUse brokerUse();

    /** Use of the process between client and brokers so far; 0 on the direct way. */
    ProcessUse proxyUse(Way way);

    /** Returns the ids of the way's processes that can be profiled, by label; empty if there is only this process. */
    Map<String, Long> processes(Way way);

    /** Returns the requests by RDMA so far; 0 on a way without RDMA. */
    long requestsByRdma(Way way);
}
