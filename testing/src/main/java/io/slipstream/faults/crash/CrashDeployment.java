// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import io.slipstream.faults.Arm;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.PathCounts;
import io.slipstream.process.ProxyProcess;
import io.slipstream.process.TempDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One stock broker, with the agent unless clients connect directly, and its proxies; new for each round. Not safe for
 * concurrent use, except for reads.
 */
final class CrashDeployment implements AutoCloseable {
    private static final Map<String, String> BROKER_KEYS = Map.ofEntries(
            Map.entry("auto.create.topics.enable", "false"),
            // Index files are sparse, but copies have this full length.
            Map.entry("log.index.size.max.bytes", "65536"),
            Map.entry("log.index.interval.bytes", "1024"),
            Map.entry("broker.heartbeat.interval.ms", "300"),
            Map.entry("broker.session.timeout.ms", "1500"),
            Map.entry("group.min.session.timeout.ms", "500"),
            Map.entry("transaction.abort.timed.out.transaction.cleanup.interval.ms", "1000"),
            Map.entry("num.network.threads", "2"),
            Map.entry("num.io.threads", "4"),
            Map.entry("log.cleaner.dedupe.buffer.size", "4194304"));

    private final TempDirectory directory = TempDirectory.create("ss-c");
    private final List<ProxyProcess> proxies = new ArrayList<>();
    private BrokerProcess broker;

    private CrashDeployment() {}

    /** Returns when all processes serve. */
    static CrashDeployment start(CrashPlan plan, CrashSchedule schedule) {
        CrashDeployment deployment = new CrashDeployment();
        try {
            deployment.startAll(plan, schedule);
            return deployment;
        } catch (RuntimeException failure) {
            deployment.close();
            throw failure;
        }
    }

    private void startAll(CrashPlan plan, CrashSchedule schedule) {
        BrokerProcess.Builder builder = BrokerProcess.builder(BrokerLine.NEWEST).directory(directory.directory("b"));
        BROKER_KEYS.forEach(builder::property);
        if (plan.arm().hasProxies()) {
            builder.withAgent().property("slipstream.lease.ms", "1000");
        }
        broker = builder.start();
        for (int i = 0; plan.arm().hasProxies() && i < schedule.proxies(); i++) {
            ProxyProcess.Builder proxy = ProxyProcess.builder(broker)
                    .directory(directory.directory("p" + i))
                    .property("metadata.refresh.ms", "1000");
            if (plan.arm() == Arm.TCP) {
                proxy.withoutRdma();
            }
            proxies.add(proxy.start());
        }
    }

    BrokerProcess broker() {
        return broker;
    }

    /** Empty if clients connect to the broker directly. */
    List<ProxyProcess> proxies() {
        return proxies;
    }

    /** Returns the records that a living proxy has produced by RDMA since its start. */
    static long producedByRdma(ProxyProcess proxy) {
        MetricSamples samples = proxy.metrics();
        return PathCounts.in(samples).rdmaProduced();
    }

    /** By process name. */
    Map<String, Path> logs() {
        Map<String, Path> logs = new TreeMap<>();
        logs.put("broker", broker.log());
        for (int i = 0; i < proxies.size(); i++) {
            logs.put("proxy-" + (i + 1), proxies.get(i).log());
        }
        return logs;
    }

    @Override
    public void close() {
        RuntimeException failure = null;
        List<AutoCloseable> all = new ArrayList<>(proxies);
        if (broker != null) {
            all.add(broker);
        }
        all.add(directory);
        for (AutoCloseable each : all) {
            try {
                each.close();
            } catch (Exception e) {
                failure = failure == null
                        ? new IllegalStateException("cannot end the round: " + e.getMessage(), e)
                        : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
