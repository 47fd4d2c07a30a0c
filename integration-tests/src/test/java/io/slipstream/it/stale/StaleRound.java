package io.slipstream.it.stale;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.BrokerProcess;
import io.slipstream.harness.Deadline;
import io.slipstream.harness.Patience;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;

/** One stop of the proxy, in a topic of its own: senders through the proxy, the stop, other writers, what else befalls the log, and the proxy's return. */
final class StaleRound {
    static final String TOPIC = "stale-";
    private static final int PARTITIONS = 2;
    private static final int WARM_RECORDS = 3;
    private static final int LEAST_VALUE_BYTES = 3_000_000;
    private static final int MORE_VALUE_BYTES = 1_000_000;
    private static final int OTHERS_VALUE_BYTES = 1_000_000;
    private static final int INTERVAL_MS = 20;
    private static final Duration TRAP_PATIENCE = Patience.ofSeconds(8);
    private static final Duration PATIENCE = Patience.ofSeconds(40);

    private final StaleCluster cluster;
    private final Kind kind;
    private final int number;
    private final Random random;
    private final String topic;
    private final List<NumberedSender> placing = new ArrayList<>();
    private final List<NumberedSender> others = new ArrayList<>();

    /** What befalls the log while the proxy is stopped. */
    enum Kind {
        /** Others append. */
        OTHERS,
        /** It rolls by time, and others append. */
        ROLL,
        /** The other broker becomes the leader; this one appends what it fetches from there. */
        LEADER,
        /** The broker dies, recovers, and others append. */
        KILL,
        /** The broker dies, recovers, starts once more before anybody appends, and others append. */
        RESTART
    }

    /** @param changes committed bytes that are others now */
    record Result(int number, Kind kind, int replicas, StopTrap.Stop stop, String committed, List<String> changes) {
        @Override
        public String toString() {
            return String.format(
                    "round %d, %s, %d replicas: stopped %s a write at %d of %s; %s; changed: %s",
                    number,
                    kind,
                    replicas,
                    stop.inside() ? "inside" : "outside",
                    stop.position(),
                    stop.segment().getParent().getFileName(),
                    committed,
                    changes);
        }
    }

    StaleRound(StaleCluster cluster, Kind kind, int number, Random random) {
        this.cluster = cluster;
        this.kind = kind;
        this.number = number;
        this.random = random;
        this.topic = TOPIC + number;
    }

    Result run() throws Exception {
        int replicas = kind == Kind.LEADER ? 2 : 1 + random.nextInt(2);
        boolean stopped = false;
        try {
            cluster.records().create(topic, PARTITIONS, replicas == 1 ? List.of(2) : List.of(2, 1));
            startSenders();
            NumberedSender victim = placing.get(random.nextInt(PARTITIONS));
            Path log = cluster.directory(cluster.written(), victim.partition());
            StopTrap.Stop stop = cluster.trap().spring(log, batchBytes(log), Deadline.after(TRAP_PATIENCE));
            stopped = true;
            befall(stop);
            cluster.records().awaitReplicas(topic, replicas, PATIENCE);
            List<Path> logs = logs(replicas);
            CommittedBytes committed = CommittedBytes.of(logs);
            for (NumberedSender each : placing) {
                long end = cluster.records().endOffset(each.partition());
                assertThat(logs.stream()
                                .filter(path -> path.endsWith(each.partition().toString())))
                        .as("end of each log of %s", each.partition())
                        .isNotEmpty()
                        .allMatch(path -> committed.endOffset(path) == end);
            }
            assertRolled(stop);
            cluster.trap().resume();
            stopped = false;
            awaitGoingOn();
            String seen = String.format("%,d bytes of %d files", committed.sizeBytes(), committed.files());
            return new Result(number, kind, replicas, stop, seen, committed.changes());
        } finally {
            if (stopped) {
                cluster.trap().resume();
            }
            placing.forEach(NumberedSender::close);
            others.forEach(NumberedSender::close);
            placing.forEach(cluster.records()::expect);
            others.forEach(cluster.records()::expect);
        }
    }

    /** A record for each batch, all of one partition of the same size. */
    private void startSenders() {
        for (int i = 0; i < PARTITIONS; i++) {
            TopicPartition partition = new TopicPartition(topic, i);
            int bytes = LEAST_VALUE_BYTES + random.nextInt(MORE_VALUE_BYTES);
            NumberedSender sender =
                    new NumberedSender(cluster.proxy().bootstrapServers(), partition, 2L * i, bytes, random);
            placing.add(sender);
            others.add(new NumberedSender(
                    cluster.brokers().bootstrapServers(), partition, 2L * i + 1, OTHERS_VALUE_BYTES, random));
            sender.startSending(INTERVAL_MS);
        }
        placing.forEach(sender -> sender.awaitMore(WARM_RECORDS, PATIENCE));
    }

    private static int batchBytes(Path log) {
        try (SegmentTail tail = SegmentTail.of(log)) {
            return tail.committedBytes(0);
        }
    }

    private void befall(StopTrap.Stop stop) throws Exception {
        switch (kind) {
            case OTHERS -> {}
            case ROLL -> cluster.records().set(topic, Map.of("segment.ms", "100"));
            case LEADER -> cluster.records().lead(topic, List.of(1, 2), PATIENCE);
            case KILL -> {
                cluster.written().kill9();
                cluster.written().restart();
            }
            case RESTART -> {
                cluster.written().kill9();
                cluster.written().restart();
                cluster.written().restart();
            }
            default -> throw new IllegalArgumentException(kind.toString());
        }
        long appendedBytes = 0;
        // Beyond where the stopped write would end, if they are in the same file.
        while (appendedBytes < LEAST_VALUE_BYTES + MORE_VALUE_BYTES + OTHERS_VALUE_BYTES) {
            for (NumberedSender other : others) {
                other.send();
            }
            appendedBytes += OTHERS_VALUE_BYTES;
            if (kind == Kind.ROLL) {
                TimeUnit.MILLISECONDS.sleep(random.nextInt(120));
            }
        }
        assertThat(stop.segment()).as("where the stopped write goes on").exists();
    }

    /** Of each replica of each partition. */
    private List<Path> logs(int replicas) {
        List<Path> logs = new ArrayList<>();
        for (NumberedSender sender : placing) {
            for (BrokerProcess broker : cluster.brokers().brokers()) {
                if (replicas == 2 || broker == cluster.written()) {
                    logs.add(cluster.directory(broker, sender.partition()));
                }
            }
        }
        return logs;
    }

    /** That the broker knew of the writer that could not be fenced; one that was killed has no memory of it. */
    private void assertRolled(StopTrap.Stop stop) throws Exception {
        if (stop.inside() && kind != Kind.KILL && kind != Kind.RESTART) {
            String partition = stop.segment().getParent().getFileName().toString();
            assertThat(StaleWriterIT.rolled(cluster.brokers()))
                    .as("what the brokers said of %s", partition)
                    .anyMatch(line -> line.contains(partition + " "));
        }
    }

    /** The proxy's write is over when its clients are served again. */
    private void awaitGoingOn() throws InterruptedException {
        placing.forEach(sender -> sender.awaitMore(2, PATIENCE));
        TimeUnit.MILLISECONDS.sleep(200);
    }
}
