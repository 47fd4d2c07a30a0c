// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.containers.workload.ShareMeter;
import io.slipstream.containers.workload.Workload;
import io.slipstream.process.Patience;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A broker's disk fills up during writes and the broker halts. The two others continue. With free space it returns with
 * all data.
 */
@ExtendWith(SharedCluster.class)
@Tag("thorough")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class DiskFullIT {
    private static final double SHARE_AFTERWARDS = 0.9;
    private static final Duration HALT_PATIENCE = Patience.ofSeconds(60);
    private static final Duration RECOVERY_PATIENCE = Patience.ofSeconds(120);

    @Test
    void shouldServeWithoutTheBrokerUntilItReturns(Cluster cluster) throws Exception {
        try (Workload workload = Workload.start(cluster, "disk")) {
            ShareMeter meter = new ShareMeter(cluster, "disk full");
            workload.awaitProgress(400, Patience.ofSeconds(60));
            meter.phase("before");

            try {
                cluster.exec(
                        "disk-3", "bash", "-c", "dd if=/dev/zero of=/data/ballast bs=64k 2>&1 | grep 'No space left'");
                cluster.state().awaitBrokers(Cluster.BROKERS.size() - 1, HALT_PATIENCE);
                assertThat(cluster.logs("broker-3")).contains("No space left on device");
                workload.awaitProgress(400, Patience.ofSeconds(60));
                meter.phase("while the disk was full");
            } finally {
                cluster.exec("disk-3", "rm", "/data/ballast");
                cluster.start("broker-3");
            }
            cluster.state().awaitBrokers(Cluster.BROKERS.size(), RECOVERY_PATIENCE);
            cluster.state().awaitInSync(RECOVERY_PATIENCE);
            workload.awaitProgress(200, Patience.ofSeconds(60));
            meter.phase("while it returned");

            workload.awaitProgress(600, Patience.ofSeconds(60));
            assertThat(meter.phase("afterwards").rdmaShare()).isGreaterThan(SHARE_AFTERWARDS);
            workload.stopAndJudge();
        }
    }
}
