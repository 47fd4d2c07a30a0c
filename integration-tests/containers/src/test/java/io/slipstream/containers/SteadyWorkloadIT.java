// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.containers.workload.ShareMeter;
import io.slipstream.containers.workload.Workload;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** No faults: the baseline of all other scenarios. */
@ExtendWith(SharedCluster.class)
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class SteadyWorkloadIT {
    private static final double SHARE = 0.95;

    @Test
    void shouldServeAllLanguagesByRdmaInBothDirections(Cluster cluster) throws Exception {
        try (Workload workload = Workload.start(cluster, "steady")) {
            workload.awaitProgress(200, Patience.ofSeconds(60));
            ShareMeter meter = new ShareMeter(cluster, "steady");
            workload.awaitProgress(1_500, Patience.ofSeconds(60));
            PathCounts counts = meter.phase("whole run");

            assertThat(counts.rdmaProduced() / (double) (counts.rdmaProduced() + counts.tcpProduced()))
                    .as("RDMA share of sent records: %s", counts)
                    .isGreaterThan(SHARE);
            assertThat(counts.rdmaFetched() / (double) (counts.rdmaFetched() + counts.tcpFetched()))
                    .as("RDMA share of received records: %s", counts)
                    .isGreaterThan(SHARE);
            assertThat(workload.stopAndJudge().redelivered()).isZero();
        }
    }
}
