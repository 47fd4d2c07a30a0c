// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Reads a compacted topic with transactions and tombstones from random offsets, directly and one-sided, while it is
 * written and the cleaner runs.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class CompactedTopicIT {
    private static final int BURSTS = 5;
    private static final int READS_A_BURST = 150;
    private static final int MIB = 1 << 20;

    @ParameterizedTest
    @MethodSource("io.slipstream.it.Thorough#lines")
    void shouldReadLikeTheBrokerWhileTheCleanerSwapsSegments(BrokerLine line) throws Exception {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        try (BrokerProcess broker = BrokerProcess.builder(line)
                        .withAgent()
                        .property("log.cleaner.backoff.ms", "20")
                        .property("log.cleaner.dedupe.buffer.size", "4194304")
                        .start();
                ProxyProcess proxy = ProxyProcess.builder(broker).start();
                RawTopics topics = new RawTopics(broker.bootstrapServers())) {
            TopicRef topic = topics.create(
                    "compacted",
                    1,
                    "cleanup.policy",
                    line == BrokerLine.NEWEST ? "compact" : "compact,delete",
                    "segment.bytes",
                    Integer.toString(MIB),
                    "min.cleanable.dirty.ratio",
                    "0.01",
                    "delete.retention.ms",
                    "0");
            try (KeyedWriter writer = new KeyedWriter(broker.bootstrapServers(), topic.name(), random);
                    ReadTwice read = new ReadTwice(broker.bootstrapServers(), proxy.bootstrapServers(), topic)) {
                for (int burst = 0; burst < BURSTS; burst++) {
                    writer.burst();
                    for (int i = 0; i < READS_A_BURST; i++) {
                        long offset = random.nextLong(endOffset(broker, topic) + 1);
                        int maxBytes = 1 << random.nextInt(6, 20);
                        assertThat(read.difference(offset, random.nextBoolean(), maxBytes))
                                .as("seed %d", seed)
                                .isNull();
                    }
                }
                Path log = broker.logDirectory().resolve(topic.name() + "-0");
                long deadlineNs = System.nanoTime() + Patience.ofSeconds(20).toNanos();
                while (sealedBytes(log) > MIB / 2) {
                    assertThat(System.nanoTime() - deadlineNs)
                            .as("cleaned segments of %d bytes", sealedBytes(log))
                            .isNegative();
                    assertThat(read.difference(random.nextLong(500), random.nextBoolean(), MIB))
                            .as("seed %d", seed)
                            .isNull();
                }
                long before = read.compared();
                long end = endOffset(broker, topic);
                for (long offset = 0; offset <= end; offset++) {
                    assertThat(read.difference(offset, offset % 2 == 0, 4096))
                            .as("seed %d", seed)
                            .isNull();
                }
                assertThat(read.compared() - before)
                        .as("reads of the whole cleaned log")
                        .isEqualTo(end + 1);
                PathCounts counts = PathCounts.in(proxy.metrics());
                assertThat(proxy.metrics().count("slipstream_requests_total", "api", "FETCH", "path", "rdma"))
                        .as("one-sided reads of %d (records by path: %s)", read.compared(), counts)
                        .isGreaterThan(read.compared() * 3 / 4);
            }
        }
    }

    private static long endOffset(BrokerProcess broker, TopicRef topic) throws IOException {
        ListOffsetsRequestData request = new ListOffsetsRequestData()
                .setReplicaId(-1)
                .setTopics(List.of(new ListOffsetsTopic()
                        .setName(topic.name())
                        .setPartitions(List.of(
                                new ListOffsetsPartition().setPartitionIndex(0).setTimestamp(-1)))));
        try (RawClient client = RawClient.connect(broker.bootstrapServers())) {
            return client.call(7, request, ListOffsetsResponseData.class)
                    .topics()
                    .get(0)
                    .partitions()
                    .get(0)
                    .offset();
        }
    }

    /** Size of all segments but the active one: each had 1 MiB, and the cleaner leaves far less in total. */
    private static long sealedBytes(Path log) throws IOException {
        List<Path> segments;
        try (var files = Files.list(log)) {
            segments = files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList();
        }
        long bytes = 0;
        for (Path segment : segments.subList(0, segments.size() - 1)) {
            bytes += Files.exists(segment) ? Files.size(segment) : 0;
        }
        return bytes;
    }
}
