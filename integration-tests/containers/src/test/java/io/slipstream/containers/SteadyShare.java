// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import io.slipstream.containers.workload.ShareMeter;
import io.slipstream.containers.workload.Workload;
import io.slipstream.process.Deadline;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;

/** The share of RDMA that a cluster in order comes to, and comes back to: links are set up, sessions bound and leaders found again within a deadline, not at once. */
final class SteadyShare {
    /** More than this. */
    static final double LEAST = 0.9;

    private static final long RECORDS = 300;

    private SteadyShare() {}

    /** Measures phases of this name until more than nine in ten of a phase's records went by RDMA; throws if none has in time. */
    static PathCounts await(Workload workload, ShareMeter meter, String phase) {
        Deadline deadline = Deadline.after(Patience.ofSeconds(120));
        while (true) {
            workload.awaitProgress(RECORDS, Patience.ofSeconds(120));
            PathCounts counts = meter.phase(phase);
            if (counts.rdmaShare() > LEAST) {
                return counts;
            }
            if (deadline.isOver()) {
                throw new AssertionError(phase + ": no more than " + counts.rdmaShare() + " went by RDMA: " + counts);
            }
        }
    }
}
