// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.io.IOException;
import java.util.Map;
import java.util.Set;

/** Where workloads are measured: brokers, and a proxy or a floor on each way to them, all running, the ways that are not being measured idle. */
interface Stage {
    Set<Way> ways();

    /** Fresh connections on that way, whose answers are what they should be. */
    Exchange open(Way way, Workload workload) throws IOException;

    /** Of all brokers, so far. */
    ProcessUse brokerUse();

    /** Of what is between client and brokers on that way, so far; nothing on the direct one. */
    ProcessUse proxyUse(Way way);

    /** Ids of processes on that way that a profile can tell about, by what they are called in one; none if there is only this process. */
    Map<String, Long> processes(Way way);

    /** Requests that went as the way's name says so far; 0 on a way without RDMA. */
    long requestsByRdma(Way way);
}
