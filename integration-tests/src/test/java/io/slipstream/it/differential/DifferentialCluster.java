package io.slipstream.it.differential;

import io.slipstream.harness.BrokerLine;
import io.slipstream.harness.BrokerProcess;
import io.slipstream.harness.ProxyProcess;
import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * One stock broker with the plugin and the three ways to it, shared by all cases of a broker line. One topic for each arm is written, then the
 * broker is restarted, so that there are logs that have seen two leader epochs.
 */
final class DifferentialCluster implements AutoCloseable {
    private final BrokerProcess broker;
    private final Map<ArmKind, TopicRef> agedTopics = new EnumMap<>(ArmKind.class);
    private final List<Arm> arms = new ArrayList<>();
    private final List<ProxyProcess> proxies = new ArrayList<>();
    private RawTopics topics;
    private FastPathWarmup warmup;

    private DifferentialCluster(BrokerProcess broker) {
        this.broker = broker;
    }

    static DifferentialCluster start(BrokerLine line) throws IOException {
        BrokerProcess.Builder builder = BrokerProcess.builder(line)
                .property("log.retention.ms", "-1"); // the scripts' time stamps are years old
        boolean plugin = armsAskedFor().contains(ArmKind.PROXY_RDMA);
        DifferentialCluster cluster = new DifferentialCluster((plugin ? builder.withAgent() : builder).start());
        try {
            cluster.ageTopics();
            cluster.broker.restart();
            cluster.openArms();
            return cluster;
        } catch (IOException | RuntimeException failure) {
            cluster.close();
            throw failure;
        }
    }

    private void ageTopics() throws IOException {
        try (RawTopics before = new RawTopics(broker.bootstrapServers());
                RawClient client = RawClient.connect(broker.bootstrapServers())) {
            for (ArmKind kind : ArmKind.values()) {
                TopicRef topic = before.create("aged-" + kind.label(), 1);
                for (int i = 0; i < 3; i++) {
                    byte[] value = ("first epoch " + i).getBytes(StandardCharsets.US_ASCII);
                    client.send(ProduceRequests.version(ProduceRequests.NEWEST, -1)
                            .add(topic, 0, Batches.of(value))
                            .frame());
                    client.receive();
                }
                agedTopics.put(kind, topic);
            }
        }
    }

    private void openArms() throws IOException {
        topics = new RawTopics(broker.bootstrapServers());
        warmup = new FastPathWarmup(topics.create("warm-up", 1));
        for (ArmKind kind : armsAskedFor()) {
            arms.add(open(kind));
        }
    }

    private Arm open(ArmKind kind) {
        if (kind == ArmKind.DIRECT) {
            return new Arm(kind, broker.bootstrapServers(), null);
        }
        ProxyProcess.Builder builder = ProxyProcess.builder(broker);
        ProxyProcess proxy = (kind == ArmKind.PROXY_TCP ? builder.withoutRdma() : builder).start();
        proxies.add(proxy);
        return new Arm(kind, proxy.bootstrapServers(), proxy);
    }

    /**
     * All three, or those of {@code -Dslipstream.arms=direct,tcp,rdma}: a way to work on one leg alone. The same arm twice
     * ({@code direct,direct}) tests the scripts themselves: they must see the same when nothing differs.
     */
    private static List<ArmKind> armsAskedFor() {
        return Arrays.stream(
                        System.getProperty("slipstream.arms", "direct,tcp,rdma").split(","))
                .map(ArmKind::ofLabel)
                .toList();
    }

    List<Arm> arms() {
        return arms;
    }

    BrokerProcess broker() {
        return broker;
    }

    ArmContext context(Arm arm, String caseName, long seed) throws IOException {
        return new ArmContext(arm, topics, warmup, agedTopics.get(arm.kind()), caseName, seed);
    }

    @Override
    public void close() throws IOException {
        proxies.forEach(ProxyProcess::close);
        if (topics != null) {
            topics.close();
        }
        broker.close();
    }
}
