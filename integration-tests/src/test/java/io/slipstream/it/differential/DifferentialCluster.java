// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.faults.Relay;
import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.ProxyProcess;
import io.slipstream.process.TempDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;

/**
 * Two brokers with the same cluster id, each alone in its cluster: one without the plugin for the direct arm, and one
 * with it for the proxied arms. All cases of a broker line share them. One topic per arm is written before an optional
 * restart of the brokers, so that its log has two leader epochs.
 */
final class DifferentialCluster implements Arms {
    private final List<ArmKind> kinds;
    private final Map<ArmKind, BrokerProcess> brokers = new EnumMap<>(ArmKind.class);
    private final Map<ArmKind, TopicRef> agedTopics = new EnumMap<>(ArmKind.class);
    private final Map<ArmKind, RawTopics> topics = new EnumMap<>(ArmKind.class);
    private final Map<ArmKind, FastPathWarmup> warmups = new EnumMap<>(ArmKind.class);
    private final List<Arm> arms = new ArrayList<>();
    private final TempDirectory sockets = TempDirectory.create("ss-d");

    /** A broker with the plugin that others close; null to start one. */
    private final BrokerProcess given;

    private final boolean oneBroker;

    private DifferentialCluster(List<ArmKind> kinds, BrokerProcess given, boolean oneBroker) {
        this.kinds = kinds;
        this.given = given;
        this.oneBroker = oneBroker;
    }

    /** @param restarted whether {@link ArmContext#agedTopic} needs two leader epochs, which takes a restart */
    static DifferentialCluster start(BrokerLine line, BrokerKeys keys, List<ArmKind> kinds, boolean restarted)
            throws IOException {
        return new DifferentialCluster(kinds, null, false).start(line, keys, restarted);
    }

    /**
     * @param given a running broker with the plugin, which stays open
     * @param oneBroker whether the direct arm, too, is at that broker
     */
    static DifferentialCluster at(BrokerProcess given, BrokerKeys keys, List<ArmKind> kinds, boolean oneBroker)
            throws IOException {
        return new DifferentialCluster(kinds, given, oneBroker).start(given.line(), keys, false);
    }

    private DifferentialCluster start(BrokerLine line, BrokerKeys keys, boolean restarted) throws IOException {
        try {
            startBrokers(line, keys);
            ageTopics();
            if (restarted) {
                distinctBrokers().parallelStream().forEach(BrokerProcess::restart);
            }
            for (ArmKind kind : kinds) {
                prepare(kind);
            }
            // A proxy starts slowly in the Soft-RoCE machine. The list is added at once to keep the order of the kinds.
            arms.addAll(kinds.parallelStream().map(kind -> open(kind, keys)).toList());
            return this;
        } catch (IOException | RuntimeException failure) {
            close();
            throw failure;
        }
    }

    private void startBrokers(BrokerLine line, BrokerKeys keys) {
        String clusterId = Uuid.randomUuid().toString();
        for (ArmKind kind : kinds) {
            boolean plugin = hasPlugin(kind);
            BrokerProcess shared = plugin ? withPlugin() : brokers.get(kind);
            if (shared != null) {
                brokers.put(kind, shared);
                continue;
            }
            BrokerProcess.Builder builder = BrokerProcess.builder(line)
                    .clusterId(clusterId)
                    .property("group.streams.initial.rebalance.delay.ms", "0")
                    .property("log.retention.ms", "-1") // the scripts' timestamps are years old
                    .withoutAwaitingService();
            brokers.put(
                    kind,
                    keys.apply(plugin ? builder.withAgent() : builder, plugin).start());
        }
        distinctBrokers().forEach(BrokerProcess::awaitServing);
    }

    private boolean hasPlugin(ArmKind kind) {
        return oneBroker || kind != ArmKind.DIRECT;
    }

    private BrokerProcess withPlugin() {
        if (given != null) {
            return given;
        }
        return brokers.entrySet().stream()
                .filter(each -> hasPlugin(each.getKey()))
                .map(Map.Entry::getValue)
                .findAny()
                .orElse(null);
    }

    private List<BrokerProcess> distinctBrokers() {
        return brokers.values().stream().distinct().toList();
    }

    private void ageTopics() throws IOException {
        for (Map.Entry<ArmKind, BrokerProcess> each : brokers.entrySet()) {
            String bootstrap = each.getValue().bootstrapServers();
            try (RawTopics before = new RawTopics(bootstrap);
                    RawClient client = RawClient.connect(bootstrap)) {
                TopicRef topic = before.create("aged-" + each.getKey().label(), 1);
                for (int i = 0; i < 3; i++) {
                    byte[] value = ("first epoch " + i).getBytes(StandardCharsets.US_ASCII);
                    client.send(ProduceRequests.version(ProduceRequests.NEWEST, -1)
                            .add(topic, 0, Batches.of(value))
                            .frame());
                    client.receive();
                }
                agedTopics.put(each.getKey(), topic);
            }
        }
    }

    /** Once per kind, although a kind may be requested twice. */
    private void prepare(ArmKind kind) throws IOException {
        if (warmups.containsKey(kind)) {
            return;
        }
        topics.put(kind, new RawTopics(brokers.get(kind).bootstrapServers()));
        TopicRef warmUp = topics.get(kind).create("warm-up-" + kind.label(), 1);
        warmups.put(kind, new FastPathWarmup(warmUp));
    }

    private Arm open(ArmKind kind, BrokerKeys keys) {
        BrokerProcess broker = brokers.get(kind);
        return switch (kind) {
            case DIRECT -> new Arm(kind, broker.bootstrapServers(), List.of(broker), null, null);
            case PROXY_TCP -> {
                ProxyProcess proxy = ProxyProcess.builder(broker).withoutRdma().start();
                yield new Arm(kind, proxy.bootstrapServers(), List.of(broker), proxy, null);
            }
            case PROXY_RDMA -> {
                Path directory = sockets.directory(kind.label());
                Path socket = directory.resolve(broker.pluginSocket().getFileName());
                Relay control = Relay.betweenSockets(socket, broker.pluginSocket());
                ProxyProcess.Builder builder =
                        ProxyProcess.builder(broker).property(ProxyProcess.SLIPSTREAM_DIRECTORY, directory.toString());
                ProxyProcess proxy = keys.apply(builder).start();
                yield new Arm(kind, proxy.bootstrapServers(), List.of(broker), proxy, control);
            }
        };
    }

    @Override
    public List<Arm> all() {
        return arms;
    }

    @Override
    public ArmContext context(Arm arm, String caseName, long seed) throws IOException {
        return new ArmContext(
                arm,
                topics.get(arm.kind()),
                Map.of(arm.broker().nodeId(), warmups.get(arm.kind())),
                agedTopics.get(arm.kind()),
                caseName,
                seed);
    }

    @Override
    public void close() throws IOException {
        try {
            for (Arm arm : arms) {
                if (arm.proxy() != null) {
                    arm.proxy().close();
                }
                if (arm.control() != null) {
                    arm.control().close();
                }
            }
            for (RawTopics client : topics.values()) {
                client.close();
            }
        } finally {
            distinctBrokers().parallelStream().filter(each -> each != given).forEach(BrokerProcess::close);
            sockets.close();
        }
    }
}
