// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import io.slipstream.it.read.WriterPlan.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;

/** Topics of every kind with their writers and readers. */
final class ReadRun implements AutoCloseable {
    private static final Map<String, String> SMALL_SEGMENTS = Map.of("segment.bytes", "1048576", "segment.ms", "2000");
    private static final int CONSUMERS = 20;
    private static final int MOST_RECORDS = 120;

    private final BrokerBounds broker;
    private final String directBootstrap;
    private final long seed;
    private final Findings findings = new Findings();
    private final Unsettled unsettled = new Unsettled(findings);
    private final ReadCounts counts = new ReadCounts();
    private final List<WrittenLog> logs = new ArrayList<>();
    private final List<LogWriter> writers = new ArrayList<>();
    private final List<SeekingConsumer> consumers = new ArrayList<>();
    private LogTrimmer trimmer;

    ReadRun(String directBootstrap, long seed) {
        this.directBootstrap = directBootstrap;
        this.seed = seed;
        broker = new BrokerBounds(directBootstrap);
    }

    void createTopics() {
        create("mixed", 2, Map.of());
        create("plain", 1, Map.of());
        create("short", 1, Map.of("retention.bytes", "2097152", "file.delete.delay.ms", "200"));
        create(
                "compacted",
                1,
                Map.of(
                        "cleanup.policy", "compact",
                        "min.cleanable.dirty.ratio", "0.01",
                        "delete.retention.ms", "100",
                        "file.delete.delay.ms", "200"));
    }

    private void create(String topic, int partitions, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(SMALL_SEGMENTS);
        all.putAll(settings);
        BrokerBounds.get(broker.admin()
                .createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(all)))
                .all());
        for (int i = 0; i < partitions; i++) {
            boolean compacted = settings.containsKey("cleanup.policy");
            WrittenLog log = new WrittenLog(new TopicPartition(topic, i), logs.size(), compacted, broker, findings);
            log.awaitLeader();
            logs.add(log);
        }
    }

    WrittenLog log(String topic, int partition) {
        TopicPartition wanted = new TopicPartition(topic, partition);
        return logs.stream()
                .filter(log -> log.partition().equals(wanted))
                .findFirst()
                .orElseThrow();
    }

    void write() {
        List<WrittenLog> mixed = List.of(log("mixed", 0), log("mixed", 1));
        List<WrittenLog> untransacted = List.of(log("mixed", 0), log("mixed", 1), log("plain", 0), log("short", 0));
        List<WrittenLog> transacted = List.of(log("mixed", 0), log("mixed", 1), log("compacted", 0));
        writer(Kind.PLAIN, "none", untransacted);
        writer(Kind.PLAIN, "gzip", untransacted);
        writer(Kind.IDEMPOTENT, "lz4", untransacted);
        writer(Kind.IDEMPOTENT, "zstd", logs);
        writer(Kind.TRANSACTIONAL, "snappy", transacted);
        writer(Kind.TRANSACTIONAL, "none", transacted);
        writer(Kind.LONG_TRANSACTIONS, "lz4", mixed);
        trimmer = new LogTrimmer(List.of(log("mixed", 1), log("short", 0)), broker, seed, findings);
        trimmer.start();
        writers.forEach(Worker::start);
    }

    private void writer(Kind kind, String codec, List<WrittenLog> to) {
        writers.add(new LogWriter(
                new WriterPlan(writers.size(), kind, codec, MOST_RECORDS, to), directBootstrap, seed, findings));
    }

    /** @param bootstrap address of the proxy, or of the broker to verify the check */
    void read(String bootstrap) {
        List<String> resets = List.of(ReaderPlan.NONE, ReaderPlan.EARLIEST, ReaderPlan.LATEST);
        List<WrittenLog> untransacted = List.of(log("plain", 0), log("short", 0));
        for (int i = 0; i < CONSUMERS; i++) {
            ReaderPlan plan = new ReaderPlan(
                    "reader-" + i, i % 2 == 0, resets.get(i % resets.size()), i % 4 < 2 ? untransacted : logs);
            consumers.add(new SeekingConsumer(plan, bootstrap, seed, findings, unsettled, counts));
        }
        consumers.forEach(Worker::start);
    }

    /** Ends writers and consumers, rereads everything with both isolation levels, and decides the pending cases. */
    void settle(String bootstrap) {
        trimmer.close();
        end(writers);
        end(consumers);
        for (boolean readCommitted : new boolean[] {false, true}) {
            ReaderPlan plan = new ReaderPlan("whole", readCommitted, ReaderPlan.EARLIEST, logs);
            WholeRead.judge(plan, bootstrap, findings, unsettled, counts);
        }
        unsettled.settle();
    }

    private static void end(List<? extends Worker> workers) {
        workers.forEach(Worker::stop);
        workers.forEach(Worker::close);
    }

    /** Returns whether readers have met all required events. */
    boolean isComplete() {
        return counts.aborted() > 0
                && counts.compacted() > 0
                && log("short", 0).knownStart() > 0
                && log("mixed", 1).knownStart() > 0
                && counts.committed() > 0
                && counts.uncommitted() > 0;
    }

    Findings findings() {
        return findings;
    }

    ReadCounts counts() {
        return counts;
    }

    int written() {
        return logs.stream().mapToInt(WrittenLog::count).sum();
    }

    @Override
    public void close() {
        if (trimmer != null) {
            trimmer.close();
        }
        end(writers);
        end(consumers);
        broker.close();
    }
}
