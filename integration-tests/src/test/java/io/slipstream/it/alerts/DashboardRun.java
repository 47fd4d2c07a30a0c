// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.alerts;

import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.JvmProfile;
import io.slipstream.process.Ports;
import io.slipstream.process.ProxyProcess;
import io.slipstream.process.TempDirectory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * Produces the data of docs/pictures/dashboard-*.png; not a test. It runs three brokers, two proxies and stock clients
 * through several events in minutes: a burst, RDMA off for a while, a broker restart, and a consumer that rereads
 * everything. It prints the address of its Prometheus and waits for the end of its input.
 *
 * <p>{@code java -cp … io.slipstream.it.alerts.DashboardRun MINUTES}
 */
final class DashboardRun {
    private static final int BROKERS = 3;
    private static final int PARTITIONS = 6;
    private static final String ORDERS = "orders";
    private static final String EVENTS = "events";

    private DashboardRun() {}

    public static void main(String[] arguments) throws Exception {
        // In eighths of the run.
        long eighthMs = TimeUnit.MINUTES.toMillis(Long.parseLong(arguments[0])) / 8;
        int[] ports = {Ports.free(), Ports.free(), Ports.free()};
        List<BrokerProcess.Builder> seen = new ArrayList<>();
        try (TempDirectory directory = TempDirectory.create("ss-d");
                BrokerCluster cluster = BrokerCluster.start(BrokerLine.NEWEST, BROKERS, builder -> {
                    seen.add(builder);
                    return builder.withAgent()
                            .property("slipstream.metrics.address", "127.0.0.1:" + ports[seen.size() - 1]);
                });
                ProxyProcess a = proxy(cluster);
                ProxyProcess b = proxy(cluster)) {
            createTopics(cluster);
            List<String> plugins = new ArrayList<>();
            for (int port : ports) {
                plugins.add("127.0.0.1:" + port);
            }
            Map<String, List<String>> targets =
                    Map.of("slipstream-proxy", List.of(target(a), target(b)), "slipstream-plugin", plugins);
            try (PrometheusProcess prometheus = PrometheusProcess.start(directory.path(), targets, AlertRules.text());
                    Load steady = new Load()) {
                System.out.println(prometheus.url());
                steady.produce(a.bootstrapServers(), ORDERS, PARTITIONS, 1_000, 100)
                        .consume(b.bootstrapServers(), ORDERS, PARTITIONS, false)
                        .produce(b.bootstrapServers(), EVENTS, PARTITIONS, 200, 50)
                        .consume(a.bootstrapServers(), EVENTS, PARTITIONS, false)
                        .consume(a.bootstrapServers(), EVENTS, PARTITIONS, false);
                say("steady");
                Thread.sleep(2 * eighthMs);
                say("burst");
                try (Load burst = new Load()) {
                    burst.produce(a.bootstrapServers(), ORDERS, PARTITIONS, 10_000, 500)
                            .produce(b.bootstrapServers(), EVENTS, PARTITIONS, 2_000, 500);
                    Thread.sleep(eighthMs);
                }
                say("RDMA off at one proxy");
                a.switchRdma(false);
                Thread.sleep(eighthMs);
                a.switchRdma(true);
                say("steady");
                Thread.sleep(eighthMs);
                say("a broker restarts");
                cluster.brokers().get(2).restart();
                Thread.sleep(eighthMs);
                say("a consumer rereads everything");
                try (Load replay = new Load()) {
                    replay.consume(b.bootstrapServers(), ORDERS, PARTITIONS, false);
                    Thread.sleep(2 * eighthMs);
                }
                say("done");
                while (System.in.read() >= 0) {
                    // Keeps the processes until the screenshots are taken.
                }
            }
        }
    }

    private static void say(String what) {
        System.out.println(System.currentTimeMillis() / 1000 + " " + what);
    }

    private static ProxyProcess proxy(BrokerCluster cluster) {
        return ProxyProcess.builder(cluster.bootstrapServers())
                .property(
                        ProxyProcess.SLIPSTREAM_DIRECTORY,
                        cluster.brokers().get(0).slipstreamDirectory().toString())
                .property("event.loops", "2")
                .profile(JvmProfile.SIDECAR)
                .start();
    }

    private static String target(ProxyProcess proxy) {
        return proxy.managementUrl().substring("http://".length());
    }

    private static void createTopics(BrokerCluster cluster) throws Exception {
        try (Admin admin =
                Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, cluster.bootstrapServers()))) {
            admin.createTopics(List.of(
                            new NewTopic(ORDERS, PARTITIONS, (short) 2), new NewTopic(EVENTS, PARTITIONS, (short) 1)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }
}
