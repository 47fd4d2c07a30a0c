// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import io.slipstream.containers.workload.ShareMeter;
import io.slipstream.containers.workload.Workload;
import io.slipstream.process.Patience;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Brokers restart, cleanly and by kill, under running clients. */
@Tag("thorough")
@ExtendWith(SharedCluster.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class BrokerRestartIT {
    @Test
    void shouldServeDuringARollingRestartOfBrokers(Cluster cluster) throws Exception {
        try (Workload workload = Workload.start(cluster, "rolling")) {
            ShareMeter meter = new ShareMeter(cluster, "rolling restart of brokers");
            SteadyShare.await(workload, meter, "before");

            for (String broker : Cluster.BROKERS) {
                cluster.stop(broker);
                cluster.start(broker);
                cluster.state().awaitInSync(Patience.ofSeconds(180));
            }
            workload.awaitProgress(200, Patience.ofSeconds(120));
            meter.phase("during the restarts");

            cluster.state().electPreferredLeaders();
            workload.awaitProgress(200, Patience.ofSeconds(120));
            meter.phase("while leadership returned");
            SteadyShare.await(workload, meter, "afterwards");
            workload.stopAndJudge();
        }
    }

    @Test
    void shouldServeWhileABrokerIsKilledAndReturns(Cluster cluster) throws Exception {
        try (Workload workload = Workload.start(cluster, "killed")) {
            ShareMeter meter = new ShareMeter(cluster, "broker killed");
            SteadyShare.await(workload, meter, "before");

            cluster.kill("broker-2");
            workload.awaitProgress(400, Patience.ofSeconds(150));
            meter.phase("without it");
            cluster.start("broker-2");
            cluster.state().awaitInSync(Patience.ofSeconds(180));
            cluster.state().electPreferredLeaders();
            workload.awaitProgress(200, Patience.ofSeconds(120));
            meter.phase("while it returned");

            SteadyShare.await(workload, meter, "afterwards");
            workload.stopAndJudge();
        }
    }
}
