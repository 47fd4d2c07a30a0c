// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import io.slipstream.containers.workload.ShareMeter;
import io.slipstream.containers.workload.Workload;
import io.slipstream.process.Patience;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Packets between sidecars and brokers are silently lost. Shared memory does not use the network, so the fast path may
 * or may not continue.
 */
@ExtendWith(SharedCluster.class)
@Tag("thorough")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class NetworkCutIT {
    /** Longer than the clients' request timeout. */
    private static final long CUT_MS = 15_000;

    @Test
    void shouldServeDuringAndAfterANetworkCut(Cluster cluster) throws Exception {
        try (Workload workload = Workload.start(cluster, "cut")) {
            ShareMeter meter = new ShareMeter(cluster, "network cut");
            SteadyShare.await(workload, meter, "before");

            String broker = cluster.address("broker-1");
            drop(cluster, "-I", broker);
            Thread.sleep(CUT_MS);
            meter.phase("with sidecar-a cut off broker-1");
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
