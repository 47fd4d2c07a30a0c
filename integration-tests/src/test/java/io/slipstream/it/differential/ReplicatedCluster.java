// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Two brokers with the plugin, of which the first is the controller, and three paths to both. All arms share them
 * because the states of the cases (a paused or stopped follower) are expensive; {@link DifferentialCluster} covers
 * effects of the agent on all clients. Each arm has a topic with replication factor 2 that needs both replicas, with
 * three batches.
 */
final class ReplicatedCluster implements Arms {
    private final BrokerCluster cluster;
    private final Map<Integer, FastPathWarmup> warmups = new HashMap<>();
    private final Map<ArmKind, TopicRef> replicatedTopics = new EnumMap<>(ArmKind.class);
    private final List<Arm> arms = new ArrayList<>();
    private RawTopics topics;
    private long topicsPid;

    private ReplicatedCluster(BrokerCluster cluster) {
        this.cluster = cluster;
    }

    static ReplicatedCluster start(BrokerLine line, BrokerKeys keys, List<ArmKind> kinds) throws IOException {
        ReplicatedCluster started = new ReplicatedCluster(BrokerCluster.start(
                line,
                2,
                1,
                builder -> keys.apply(builder.property("log.retention.ms", "-1").withAgent(), true)));
        try {
            started.createTopics(kinds);
            for (ArmKind kind : kinds) {
                started.arms.add(started.open(kind));
            }
            return started;
        } catch (IOException | RuntimeException failure) {
            started.close();
            throw failure;
        }
    }

    private void createTopics(List<ArmKind> kinds) throws IOException {
        for (BrokerProcess broker : cluster.brokers()) {
            try (RawTopics there = new RawTopics(broker.bootstrapServers())) {
                TopicRef topic = there.createOn("warm-up", List.of(broker.nodeId()));
                warmups.put(broker.nodeId(), new FastPathWarmup(topic));
            }
        }
        openTopics();
        try (RawClient client = RawClient.connect(cluster.brokers().get(0).bootstrapServers())) {
            for (ArmKind kind : kinds) {
                TopicRef topic = topics.createOn("both-" + kind.label(), List.of(1, 2), "min.insync.replicas", "2");
                for (int i = 0; i < 3; i++) {
                    client.send(ProduceRequests.version(ProduceRequests.NEWEST, -1)
                            .add(topic, 0, Batches.of(new byte[100]))
                            .frame());
                    client.receive();
                }
                replicatedTopics.put(kind, topic);
            }
        }
    }

    private void openTopics() throws IOException {
        if (topics != null) {
            topics.close();
        }
        BrokerProcess first = cluster.brokers().get(0);
        topics = new RawTopics(first.bootstrapServers());
        topicsPid = first.pid();
    }

    private Arm open(ArmKind kind) {
        List<BrokerProcess> brokers = cluster.brokers();
        if (kind == ArmKind.DIRECT) {
            return new Arm(kind, brokers.get(0).bootstrapServers(), brokers, null, null);
        }
        ProxyProcess.Builder builder = ProxyProcess.builder(cluster.bootstrapServers())
                .property(
                        ProxyProcess.SLIPSTREAM_DIRECTORY,
                        brokers.get(0).slipstreamDirectory().toString());
        ProxyProcess proxy = (kind == ArmKind.PROXY_TCP ? builder.withoutRdma() : builder).start();
        return new Arm(kind, proxy.bootstrapServers(), brokers, proxy, null);
    }

    @Override
    public List<Arm> all() {
        return arms;
    }

    @Override
    public ArmContext context(Arm arm, String caseName, long seed) throws IOException {
        if (topicsPid != arm.broker().pid()) {
            openTopics(); // a script has restarted the broker
        }
        return new ArmContext(arm, topics, warmups, replicatedTopics.get(arm.kind()), caseName, seed);
    }

    @Override
    public void close() throws IOException {
        try {
            for (Arm arm : arms) {
                if (arm.proxy() != null) {
                    arm.proxy().close();
                }
            }
            if (topics != null) {
                topics.close();
            }
        } finally {
            cluster.close();
        }
    }
}
