// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.process.Deadline;
import io.slipstream.process.PathCounts;
import io.slipstream.process.ProxyProcess;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Makes each proxy lose its queue pairs while only a probe is active. Under a workload that saturates all CPUs, an
 * acknowledgement over TCP takes longer than the recovery to be measured.
 */
final class LossesAtRest {
    private static final int LOSSES = 5;
    /** Newly started processes take 10 to 50 ms for each operation. */
    private static final int WARM_UP_RECORDS = 500;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Deployment deployment;
    private final Recoveries recoveries = new Recoveries();

    private LossesAtRest(Deployment deployment) {
        this.deployment = deployment;
    }

    /** Measures the time from each cut to the acknowledgement of the first record sent after it. Takes some seconds. */
    static List<Long> measureNs(Deployment deployment) {
        LossesAtRest losses = new LossesAtRest(deployment);
        losses.recoveries.begin(true);
        for (int proxy = 0; proxy < deployment.proxies().size(); proxy++) {
            losses.measure(proxy);
        }
        return losses.recoveries.afterLossNs();
    }

    private void measure(int index) {
        ProxyProcess proxy = deployment.proxies().get(index).peek();
        Probe probe = new Probe(proxy.bootstrapServers(), recoveries.probe());
        try {
            awaitByRdma(proxy, WARM_UP_RECORDS);
            for (int i = 0; i < LOSSES; i++) {
                awaitByRdma(proxy, 1);
                int measuredBefore = recoveries.afterLossNs().size();
                recoveries.linkLost(index);
                deployment.controlRelays(index).forEach(Relay::cut);
                await("an acknowledgement", () -> recoveries.afterLossNs().size() > measuredBefore);
            }
        } finally {
            probe.close();
        }
    }

    private static void awaitByRdma(ProxyProcess proxy, int records) {
        long enough = produced(proxy) + records;
        await("a record of the probe by RDMA", () -> produced(proxy) >= enough);
    }

    private static long produced(ProxyProcess proxy) {
        return PathCounts.in(proxy.metrics()).rdmaProduced();
    }

    private static void await(String what, BooleanSupplier condition) {
        if (!Deadline.after(PATIENCE).await(condition)) {
            throw new IllegalStateException("before the workload began, " + what + " did not come within " + PATIENCE);
        }
    }
}
