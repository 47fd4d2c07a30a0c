package io.slipstream.it.stale;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.faults.crash.SegmentInspector;
import io.slipstream.harness.BrokerCluster;
import io.slipstream.harness.BrokerLine;
import io.slipstream.harness.BrokerProcess;
import io.slipstream.harness.Checkout;
import io.slipstream.harness.ProxyProcess;
import io.slipstream.it.Seed;
import io.slipstream.it.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A proxy is stopped in the middle of a write into a segment, its landing is revoked and the segment is appended to, rolled, replicated to or recovered meanwhile; then it continues. No committed byte
 * changes, and each acknowledged record is there, once and in order. {@code -Dslipstream.stale.rounds=N} makes more rounds than one of each kind, {@code -Dslipstream.stale.kinds=KILL,ROLL}
 * only some.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class StaleWriterIT {
    private static final List<StaleRound.Kind> KINDS = kinds(System.getProperty("slipstream.stale.kinds", ""));
    private static final int ROUNDS = Integer.getInteger("slipstream.stale.rounds", KINDS.size());
    private static final int SHARED_ROUNDS = Integer.getInteger("slipstream.stale.shared.rounds", 2);
    private static final int MOST_RECORD_BYTES = 8 << 20;
    private static final int WINDOW_BYTES = 32 << 20;
    private static final int SEGMENT_BYTES = 64 << 20;

    private final Map<StaleRound.Kind, Integer> rounds = new EnumMap<>(StaleRound.Kind.class);
    private final Map<StaleRound.Kind, Integer> inside = new EnumMap<>(StaleRound.Kind.class);

    @Test
    void shouldChangeNoCommittedByteWhenAStoppedProxyContinues() throws Exception {
        stopInWrites("segment", KINDS, ROUNDS);
    }

    /** Those who wait for their turn behind the stopped one are appended without it. */
    @Test
    void shouldChangeNoCommittedByteWhereOthersPlaceBatchesToo() throws Exception {
        boolean chosen = System.getProperty("slipstream.stale.kinds") != null;
        List<StaleRound.Kind> some = List.of(StaleRound.Kind.OTHERS, StaleRound.Kind.LEADER);
        stopInWrites("shared", chosen ? KINDS : some, SHARED_ROUNDS);
    }

    private void stopInWrites(String landing, List<StaleRound.Kind> kinds, int count) throws Exception {
        Tool.require("python3", "python3");
        Random random = new Random(Seed.ofRun());
        try (BrokerCluster cluster =
                        BrokerCluster.start(BrokerLine.NEWEST, 2, 1, broker -> configure(broker, landing));
                ProxyProcess proxy = ProxyProcess.builder(cluster.bootstrapServers())
                        .property(
                                ProxyProcess.SLIPSTREAM_DIRECTORY,
                                cluster.brokers().get(0).slipstreamDirectory().toString())
                        .property("rdma.landing.after.requests", "0")
                        .property("metadata.refresh.ms", "1000")
                        .start();
                StopTrap trap = new StopTrap(proxy.pid(), random);
                RecordsOnce records = new RecordsOnce(cluster.bootstrapServers())) {
            try {
                makeRounds(cluster, proxy, trap, records, kinds, count);
            } finally {
                keepLogs(cluster, proxy, landing);
            }
        }
    }

    private void makeRounds(
            BrokerCluster cluster,
            ProxyProcess proxy,
            StopTrap trap,
            RecordsOnce records,
            List<StaleRound.Kind> kinds,
            int count)
            throws Exception {
        Random random = new Random(Seed.ofRun());
        StaleCluster stale = new StaleCluster(cluster, proxy, trap, records);
        for (int number = 0; number < count; number++) {
            StaleRound.Kind kind = kinds.get(number % kinds.size());
            StaleRound.Result result = new StaleRound(stale, kind, number, new Random(random.nextLong())).run();
            System.out.println(result);
            rounds.merge(kind, 1, Integer::sum);
            inside.merge(kind, result.stop().inside() ? 1 : 0, Integer::sum);
            assertThat(result.changes()).as("%s", result).isEmpty();
        }
        System.out.printf(
                "stopped inside a write: %s of %s, in %d stops; logs rolled for it: %d%n",
                inside, rounds, trap.attempts(), rolled(cluster).size());
        assertThat(records.differences()).isEmpty();
        assertThat(inside.values().stream().mapToInt(Integer::intValue).sum())
                .as("rounds in which the proxy was stopped inside a write")
                .isPositive();
        assertThat(rolled(cluster)).isNotEmpty();
        stopInOrder(cluster);
        assertThat(damage(cluster)).isEmpty();
    }

    /** The controller last: a broker that cannot ask it whether it may go waits for minutes, and indexes of one that is killed look damaged. */
    private static void stopInOrder(BrokerCluster cluster) throws IOException {
        for (int i = cluster.brokers().size() - 1; i >= 0; i--) {
            BrokerProcess broker = cluster.brokers().get(i);
            broker.stop();
            String log = Files.readString(broker.log());
            assertThat(log.lastIndexOf("] shut down completed (kafka.server.BrokerServer)"))
                    .as("broker %d came to the end of its shutdown", broker.nodeId())
                    .isGreaterThan(log.lastIndexOf("Kafka Server started"));
        }
    }

    private static List<StaleRound.Kind> kinds(String names) {
        return names.isEmpty()
                ? List.of(StaleRound.Kind.values())
                : Stream.of(names.split(",")).map(StaleRound.Kind::valueOf).toList();
    }

    private static BrokerProcess.Builder configure(BrokerProcess.Builder broker, String landing) {
        return broker.withAgent()
                .property("slipstream.landing", landing)
                .property("slipstream.landing.release.ms", "200")
                .property("slipstream.landing.window.bytes", Integer.toString(WINDOW_BYTES))
                .property("slipstream.ring.bytes", Integer.toString(WINDOW_BYTES))
                .property("message.max.bytes", Integer.toString(MOST_RECORD_BYTES))
                .property("log.segment.bytes", Integer.toString(SEGMENT_BYTES))
                .property("broker.heartbeat.interval.ms", "500")
                .property("broker.session.timeout.ms", "3000")
                .property("replica.fetch.backoff.ms", "200");
    }

    /** Where to look when it fails: these are deleted with their processes' directories, so copies stay. */
    private static void keepLogs(BrokerCluster cluster, ProxyProcess proxy, String landing) throws IOException {
        Path directory = Files.createDirectories(Checkout.root().resolve("integration-tests/target/stale/" + landing));
        for (BrokerProcess broker : cluster.brokers()) {
            Files.copy(
                    broker.log(),
                    directory.resolve("broker-" + broker.nodeId() + ".log"),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        Files.copy(proxy.log(), directory.resolve("proxy.log"), StandardCopyOption.REPLACE_EXISTING);
    }

    /** What the brokers said of writers that could not be fenced. */
    static List<String> rolled(BrokerCluster cluster) throws IOException {
        List<String> lines = new ArrayList<>();
        for (BrokerProcess broker : cluster.brokers()) {
            lines.addAll(Files.readAllLines(broker.log()).stream()
                    .filter(line -> line.contains("its last writer stopped in the middle of a write"))
                    .toList());
        }
        return lines;
    }

    /** Of segments and indexes, by Kafka's own tool. */
    private static List<String> damage(BrokerCluster cluster) {
        List<String> damage = new ArrayList<>();
        for (BrokerProcess broker : cluster.brokers()) {
            try (SegmentInspector inspector = new SegmentInspector()) {
                inspector.inspect(broker.logDirectory()).stream()
                        .filter(line -> line.startsWith(StaleRound.TOPIC))
                        .forEach(damage::add);
                assertThat(inspector.batches()).as("batches seen by the tool").isPositive();
            }
        }
        return damage;
    }
}
