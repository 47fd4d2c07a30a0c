// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.faults.Signals;
import io.slipstream.it.Seed;
import io.slipstream.it.read.WriterPlan.Kind;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A leader with a paused follower appends records (acks=1) above its high watermark. No byte of them is readable until
 * the follower resumes.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class HeldBackWatermarkIT {
    private static final TopicPartition PARTITION = new TopicPartition("held", 0);
    private static final int CONSUMERS = 8;
    private static final int ROUNDS = 2;
    private static final int HELD_MS = 2_500;
    private static final int RECORDS = 100;
    /** Small batches, so that a reader that goes slightly too far gets whole ones. */
    private static final int FEW_RECORDS = 3;

    private final Findings findings = new Findings();
    private final Unsettled unsettled = new Unsettled(findings);
    private final ReadCounts counts = new ReadCounts();
    private final List<Worker> workers = new ArrayList<>();

    @Test
    void shouldDeliverNothingAboveTheHighWatermark() throws Exception {
        try (BrokerCluster cluster = BrokerCluster.start(
                        BrokerLine.NEWEST,
                        2,
                        1,
                        builder -> builder.withAgent()
                                // The follower stays in the ISR however long it is paused.
                                .property("replica.lag.time.max.ms", "600000")
                                .property("broker.session.timeout.ms", "600000"));
                ProxyProcess proxy = proxy(cluster);
                BrokerBounds bounds = new BrokerBounds(cluster.brokers().get(0).bootstrapServers())) {
            BrokerProcess follower = cluster.brokers().get(1);
            BrokerBounds.get(bounds.admin()
                    .createTopics(List.of(new NewTopic(PARTITION.topic(), Map.of(0, List.of(1, 2)))
                            .configs(Map.of("min.insync.replicas", "1", "segment.bytes", "1048576"))))
                    .all());
            WrittenLog log = new WrittenLog(PARTITION, 0, false, bounds, findings);
            log.awaitLeader();
            try {
                write(cluster, log);
                awaitCommitted(log, RECORDS);
                read(proxy, log);
                for (int i = 0; i < ROUNDS; i++) {
                    holdBack(follower, log);
                }
            } finally {
                Signals.resume(follower.pid());
                end();
            }
            for (boolean readCommitted : new boolean[] {false, true}) {
                ReaderPlan plan = new ReaderPlan("whole", readCommitted, ReaderPlan.EARLIEST, List.of(log));
                WholeRead.judge(plan, proxy.bootstrapServers(), findings, unsettled, counts);
            }
            unsettled.settle();
            long byRdma = proxy.metrics().count("slipstream_requests_total", "api", "FETCH", "path", "rdma");
            System.out.printf("%,d records written; %s; %,d fetches by RDMA%n", log.count(), counts, byRdma);
            assertThat(findings.first()).as("%d findings", findings.count()).isEmpty();
            assertThat(byRdma).as("fetches by RDMA").isGreaterThan(30);
        }
    }

    private static ProxyProcess proxy(BrokerCluster cluster) {
        return Planted.in(ProxyProcess.builder(cluster.bootstrapServers())
                        .property(
                                ProxyProcess.SLIPSTREAM_DIRECTORY,
                                cluster.brokers().get(0).slipstreamDirectory().toString()))
                .start();
    }

    private void write(BrokerCluster cluster, WrittenLog log) {
        for (int i = 0; i < 2; i++) {
            WriterPlan plan = new WriterPlan(i, Kind.PLAIN, i == 0 ? "none" : "lz4", FEW_RECORDS, List.of(log));
            workers.add(new LogWriter(plan, cluster.brokers().get(0).bootstrapServers(), Seed.ofRun(), findings));
        }
        workers.forEach(Worker::start);
    }

    private void read(ProxyProcess proxy, WrittenLog log) {
        for (int i = 0; i < CONSUMERS; i++) {
            ReaderPlan plan = new ReaderPlan("reader-" + i, i % 2 == 0, ReaderPlan.NONE, List.of(log));
            SeekingConsumer consumer =
                    new SeekingConsumer(plan, proxy.bootstrapServers(), Seed.ofRun(), findings, unsettled, counts);
            consumer.start();
            workers.add(consumer);
        }
    }

    /** Writers and readers continue. */
    private void holdBack(BrokerProcess follower, WrittenLog log) throws InterruptedException {
        Signals.stop(follower.pid());
        long held;
        long end;
        try {
            held = awaitHeld(log);
            log.holdWatermark(held);
            long before = counts.committed() + counts.uncommitted();
            TimeUnit.MILLISECONDS.sleep(HELD_MS);
            await("readers", () -> counts.committed() + counts.uncommitted() > before + RECORDS);
            end = log.end();
            assertThat(log.askEnd()).as("high watermark").isEqualTo(held);
            assertThat(end).as("records above it").isGreaterThan(held);
        } finally {
            log.holdWatermark(Long.MAX_VALUE);
            Signals.resume(follower.pid());
        }
        awaitCommitted(log, end);
    }

    /** All threads of the follower are paused when the watermark has long been constant although the log has grown. */
    private long awaitHeld(WrittenLog log) throws InterruptedException {
        Deadline deadline = Deadline.after(Patience.ofSeconds(60));
        long before = log.askEnd();
        while (!deadline.isOver()) {
            long length = log.end();
            TimeUnit.MILLISECONDS.sleep(700);
            long now = log.askEnd();
            if (now == before && log.end() > length) {
                return now;
            }
            before = now;
        }
        throw new AssertionError("the high watermark moves although the follower is paused");
    }

    private void awaitCommitted(WrittenLog log, long offset) {
        await("high watermark " + offset, () -> log.askEnd() >= offset);
    }

    private void await(String what, BooleanSupplier condition) {
        assertThat(Deadline.after(Patience.ofSeconds(60)).await(() -> findings.count() > 0 || condition.getAsBoolean()))
                .as(what)
                .isTrue();
    }

    private void end() {
        workers.forEach(Worker::stop);
        workers.forEach(Worker::close);
    }
}
