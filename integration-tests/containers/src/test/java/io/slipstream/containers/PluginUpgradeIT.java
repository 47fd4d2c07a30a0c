// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.containers.workload.ShareMeter;
import io.slipstream.containers.workload.Workload;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A rolling installation of the plugin, broker by broker, and its rollback. */
@ExtendWith(SharedCluster.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class PluginUpgradeIT {
    private static final String OTHER_VERSION = "0.0.9";

    @Test
    void shouldServeWithDifferentPluginsDuringAnUpgradeAndItsRollback(Cluster cluster) throws Exception {
        String other = PluginImages.ofVersion(OTHER_VERSION);
        try (Workload workload = Workload.start(cluster, "upgrade", Set.of("java", "go"))) {
            ShareMeter meter = new ShareMeter(cluster, "plugin upgrade");
            SteadyShare.await(workload, meter, "before");

            replace(cluster, "broker-1", PluginImages.NONE);
            replace(cluster, "broker-2", other);
            cluster.awaitLog("broker-2", "Slipstream serves broker 2", Patience.ofSeconds(30));
            assertThat(cluster.logs("broker-1")).doesNotContain("Slipstream serves");
            workload.awaitProgress(200, Patience.ofSeconds(120));
            meter.phase("while two brokers were replaced");
            // The broker without plugin leads a third of the partitions; their records take TCP.
            PathCounts mixed = SteadyShare.await(workload, meter, "with three kinds of brokers", 0.4);
            assertThat(mixed.rdmaShare()).isLessThanOrEqualTo(0.85);

            replace(cluster, "broker-1", PluginImages.CURRENT);
            replace(cluster, "broker-2", PluginImages.CURRENT);
            workload.awaitProgress(200, Patience.ofSeconds(120));
            meter.phase("while all brokers got the new plugin");
            SteadyShare.await(workload, meter, "afterwards");
            workload.stopAndJudge();
        }
    }

    @AfterEach
    void giveAllThePluginOfThisBuild(Cluster cluster) throws Exception {
        for (String broker : Cluster.BROKERS) {
            replace(cluster, broker, PluginImages.CURRENT);
        }
    }

    private static void replace(Cluster cluster, String broker, String image) throws Exception {
        cluster.replace(broker, Map.of("BROKER_" + broker.charAt(broker.length() - 1) + "_IMAGE", image));
        cluster.state().awaitInSync(Patience.ofSeconds(180));
        cluster.state().electPreferredLeaders();
    }
}
