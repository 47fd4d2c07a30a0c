// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.Alteration;
import io.slipstream.harness.PluginCounts;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** Switches how the followers of a cluster fetch, while all run. Not safe for concurrent use. */
final class Followers implements AutoCloseable {
    /** Every broker has a replica of each partition, also of Kafka's own topics. */
    static final Map<String, String> SETTINGS = Map.of(
            "offsets.topic.replication.factor", "3",
            "transaction.state.log.replication.factor", "3",
            "transaction.state.log.min.isr", "2",
            "min.insync.replicas", "2");

    static final String KEY = "slipstream.replication";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Longer than the fetch wait of an idle follower. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final List<BrokerProcess> brokers;
    private final Admin admin;
    private boolean isByRdma;

    Followers(BrokerCluster cluster) {
        brokers = cluster.brokers();
        admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()));
    }

    /** Creates a topic with a replica of each partition on every broker. */
    void createTopic(String name, int partitions) throws ExecutionException, InterruptedException, TimeoutException {
        NewTopic topic = new NewTopic(name, partitions, (short) brokers.size());
        admin.createTopics(List.of(topic)).all().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Returns when all followers fetch that way. If that is new, the plugins start anew. */
    void fetch(boolean byRdma) throws ExecutionException, InterruptedException, TimeoutException {
        if (byRdma == isByRdma) {
            return;
        }
        for (BrokerProcess broker : brokers) {
            Alteration.ofBroker(admin, Integer.toString(broker.nodeId()), KEY, byRdma ? "auto" : "off");
        }
        for (BrokerProcess broker : brokers) {
            try (PluginCounts counts = PluginCounts.of(broker)) {
                require(() -> usesRdma(counts) == byRdma, "replication of broker " + broker.nodeId());
            }
        }
        isByRdma = byRdma;
    }

    private static void require(BooleanSupplier condition, String what) {
        if (!Deadline.after(PATIENCE).await(condition)) {
            throw new IllegalStateException(what + ": no effect of " + KEY + " after " + PATIENCE.toSeconds() + " s");
        }
    }

    private static boolean usesRdma(PluginCounts counts) {
        long before = byRdma(counts);
        return Deadline.after(LOOK).await(() -> byRdma(counts) > before);
    }

    private static long byRdma(PluginCounts counts) {
        try {
            return counts.gauge("ReplicationFetches,path=rdma");
        } catch (IllegalStateException e) {
            // There is no such meter before the first switch.
            return 0;
        }
    }

    @Override
    public void close() {
        admin.close();
    }
}
