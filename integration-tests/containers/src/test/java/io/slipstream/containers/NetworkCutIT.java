// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.containers.workload.ShareMeter;
import io.slipstream.containers.workload.Workload;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Packets between a sidecar and a broker are silently lost. Links by shared memory do not use the network, so their
 * sessions go on until the clients' own connections end.
 */
@ExtendWith(SharedCluster.class)
@Tag("thorough")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class NetworkCutIT {
    /** Longer than the clients' request timeout. */
    private static final long CUT_MS = 15_000;
    /** Through each sidecar during the cut; an idle machine has ten times as many. */
    private static final long LEAST_RECORDS = 500;

    @Test
    void shouldServeDuringAndAfterANetworkCut(Cluster cluster) throws Exception {
        try (Workload workload = Workload.start(cluster, "cut")) {
            ShareMeter meter = new ShareMeter(cluster, "network cut");
            SteadyShare.await(workload, meter, "before");

            String broker = cluster.address("broker-1");
            drop(cluster, "-I", broker);
            Thread.sleep(CUT_MS);
            Map<String, PathCounts> cut = meter.phaseBySidecar("with sidecar-a cut off broker-1");
            assertThat(cut).allSatisfy((sidecar, counts) -> {
                assertThat(counts.byRdma()).as("records through %s", sidecar).isGreaterThan(LEAST_RECORDS);
                assertThat(counts.rdmaShare()).as("share through %s", sidecar).isGreaterThan(SteadyShare.LEAST);
            });
            drop(cluster, "-D", broker);
            workload.awaitProgress(200, Patience.ofSeconds(150));

            meter.phase("after the cut");

            SteadyShare.await(workload, meter, "afterwards");
            workload.stopAndJudge();
        }
    }

    @AfterEach
    void heal(Cluster cluster) {
        cluster.exec("firewall-a", "iptables", "-F");
    }

    private static void drop(Cluster cluster, String change, String broker) {
        cluster.exec("firewall-a", "iptables", change, "INPUT", "-s", broker, "-j", "DROP");
        cluster.exec("firewall-a", "iptables", change, "OUTPUT", "-d", broker, "-j", "DROP");
    }
}
