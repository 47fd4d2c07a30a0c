// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.containers.workload.ShareMeter;
import io.slipstream.containers.workload.Workload;
import io.slipstream.process.Patience;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Sidecars restart, cleanly and by kill, under running clients, which reconnect and lose nothing. */
@ExtendWith(SharedCluster.class)
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class SidecarRestartIT {
    private static final double SHARE_AFTERWARDS = 0.9;

    @Test
    void shouldServeRunningClientsAgain(Cluster cluster) throws Exception {
        try (Workload workload = Workload.start(cluster, "sidecars")) {
            ShareMeter meter = new ShareMeter(cluster, "sidecars restarted");
            workload.awaitProgress(400, Patience.ofSeconds(60));
            meter.phase("before");

            cluster.stop("sidecar-a");
            cluster.start("sidecar-a");
            cluster.awaitReady("sidecar-a");
            workload.awaitProgress(200, Patience.ofSeconds(60));
            cluster.kill("sidecar-b");
            cluster.start("sidecar-b");
            cluster.awaitReady("sidecar-b");
            workload.awaitProgress(200, Patience.ofSeconds(60));
            meter.phase("during the restarts");

            workload.awaitProgress(600, Patience.ofSeconds(60));
            assertThat(meter.phase("afterwards").rdmaShare()).isGreaterThan(SHARE_AFTERWARDS);
            workload.stopAndJudge();
        }
    }
}
