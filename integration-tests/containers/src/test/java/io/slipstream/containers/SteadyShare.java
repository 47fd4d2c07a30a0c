// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import io.slipstream.containers.workload.ShareMeter;
import io.slipstream.containers.workload.Workload;
import io.slipstream.process.Deadline;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;

/**
 * The RDMA share of a healthy cluster. It is reached within a deadline, because links are set up, sessions bound and
 * leaders found with delay.
 */
final class SteadyShare {
    /** The share must be above this. */
    static final double LEAST = 0.9;

    private static final long RECORDS = 300;

    private SteadyShare() {}

    /** Measures phases of this name until one has more than nine in ten records by RDMA. Throws on timeout. */
    static PathCounts await(Workload workload, ShareMeter meter, String phase) {
        return await(workload, meter, phase, LEAST);
    }

    /** Measures phases of this name until the share of one is above this. Throws on timeout. */
    static PathCounts await(Workload workload, ShareMeter meter, String phase, double least) {
        Deadline deadline = Deadline.after(Patience.ofSeconds(120));
        while (true) {
            workload.awaitProgress(RECORDS, Patience.ofSeconds(120));
            PathCounts counts = meter.phase(phase);
            if (counts.rdmaShare() > least) {
                return counts;
            }
            if (deadline.isOver()) {
                throw new AssertionError(phase + ": no more than " + counts.rdmaShare() + " went by RDMA: " + counts);
            }
        }
    }
}
