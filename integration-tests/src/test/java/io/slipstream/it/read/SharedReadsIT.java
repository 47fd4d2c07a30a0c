// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Several consumers of one partition through one event loop of a proxy: every byte is correct, and fewer are read than
 * served.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class SharedReadsIT {
    private static final int RECORDS = 1_200;
    private static final int ONE_FETCH_BYTES = 200_000;
    private static final int CONSUMERS = 4;

    private static BrokerProcess broker;
    private static ProxyProcess proxy;
    private static RawTopics topics;

    @BeforeAll
    static void start() throws IOException {
        broker = BrokerProcess.builder(BrokerLine.NEWEST)
                .withAgent()
                .property("log.retention.check.interval.ms", "300")
                .property("log.segment.delete.delay.ms", "300")
                .start();
        proxy = ProxyProcess.builder(broker).property("event.loops", "2").start();
        topics = new RawTopics(broker.bootstrapServers());
    }

    @AfterAll
    static void stop() throws IOException {
        topics.close();
        proxy.close();
        broker.close();
    }

    /** Appends records from {@code first} on; returns the next offset. */
    private static long write(TopicRef topic, int first, int count) {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", broker.bootstrapServers(), "batch.size", 60_000, "linger.ms", 20);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = first; i < first + count; i++) {
                producer.send(new ProducerRecord<>(topic.name(), 0, null, FollowingConsumer.value(i)));
            }
            producer.flush();
        }
        return first + (long) count;
    }

    private static RawClient client(String bootstrap) throws IOException {
        MetadataResponseBroker node = RawTopics.onlyBroker(bootstrap);
        return RawClient.connect(node.host() + ':' + node.port());
    }

    private static void ask(RawClient by, TopicRef topic, long offset) throws IOException {
        by.send(FetchRequests.version(FetchRequests.NEWEST)
                .add(topic, 0, offset, ONE_FETCH_BYTES)
                .frame());
    }

    private static MemoryRecords answer(RawClient of) throws IOException {
        PartitionData partition = of.receive()
                .as(FetchResponseData.class)
                .responses()
                .get(0)
                .partitions()
                .get(0);
        assertThat(partition.errorCode()).isEqualTo(Errors.NONE.code());
        return (MemoryRecords) partition.records();
    }

    private static ByteBuffer wholeBatches(MemoryRecords records) {
        int bytes = 0;
        for (RecordBatch batch : records.batches()) {
            bytes += batch.sizeInBytes();
        }
        return records.buffer().duplicate().limit(records.buffer().position() + bytes);
    }

    private static long read() {
        return proxy.metrics().count("slipstream_transport_bytes_total", "opcode", "read");
    }

    private static long shared() {
        return proxy.metrics().count("slipstream_shared_read_bytes_total");
    }

    @Test
    void shouldReadOnceForConsumersAtTheSameOffset() throws IOException {
        TopicRef topic = topics.create("in-step", 1, "segment.bytes", "2097152");
        long end = write(topic, 0, RECORDS);
        List<RawClient> clients = new ArrayList<>();
        try (RawClient direct = client(broker.bootstrapServers())) {
            for (int i = 0; i < CONSUMERS; i++) {
                clients.add(client(proxy.bootstrapServers()));
            }
            // Waits until all are bound.
            served(clients, direct, topic, 0);
            long readBefore = read();
            long sharedBefore = shared();
            long served = 0;
            long next = 0;
            while (next < end) {
                long[] step = served(clients, direct, topic, next);
                next = step[0];
                served += step[1];
            }
            long read = read() - readBefore;
            System.out.printf(
                    "%,d bytes served to %d consumers in step, %,d read, %,d shared%n",
                    served, CONSUMERS, read, shared() - sharedBefore);
            assertThat(shared() - sharedBefore)
                    .as("shared bytes of %,d served", served)
                    .isGreaterThan(served / 2);
            assertThat(read).as("bytes read for %,d served", served).isLessThan(served * 6 / 10);
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    /**
     * All consumers fetch from this offset concurrently and get the broker's answer. Returns their positions and the
     * total bytes served.
     */
    private static long[] served(List<RawClient> clients, RawClient direct, TopicRef topic, long offset)
            throws IOException {
        for (RawClient client : clients) {
            ask(client, topic, offset);
        }
        ask(direct, topic, offset);
        MemoryRecords brokers = answer(direct);
        long bytes = 0;
        for (RawClient client : clients) {
            ByteBuffer records = wholeBatches(answer(client));
            bytes += records.remaining();
            assertThat(records).as("records from offset %d", offset).isEqualTo(wholeBatches(brokers));
        }
        long next = offset;
        for (RecordBatch batch : brokers.batches()) {
            next = batch.nextOffset();
        }
        return new long[] {next, bytes};
    }

    @Test
    void shouldServeConsumersOfDifferentSpeedsWhileSegmentsRollAndAreDeleted()
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        TopicRef topic = topics.create("own-pace", 1, "segment.bytes", "1048576");
        write(topic, 0, RECORDS);
        TopicPartition partition = new TopicPartition(topic.name(), 0);
        ExecutorService threads = Executors.newCachedThreadPool();
        long sharedBefore = shared();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            List<Future<FollowingConsumer.Result>> consumers = new ArrayList<>();
            // Two fast, two slow, one that leaves early and one that joins late.
            long end = 2L * RECORDS;
            consumers.add(threads.submit(follower(partition, 0, end)));
            consumers.add(threads.submit(follower(partition, 0, end)));
            consumers.add(threads.submit(follower(partition, 20, end)));
            consumers.add(threads.submit(follower(partition, 40, end)));
            consumers.add(threads.submit(follower(partition, 0, RECORDS / 2)));
            write(topic, RECORDS, RECORDS / 2);
            admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(RECORDS / 4)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
            consumers.add(threads.submit(follower(partition, 0, end)));
            write(topic, RECORDS + RECORDS / 2, RECORDS / 2);
            Deadline deadline = Deadline.after(Patience.ofSeconds(60));
            for (Future<FollowingConsumer.Result> consumer : consumers) {
                FollowingConsumer.Result result =
                        consumer.get(Math.max(1, deadline.remainingMs()), TimeUnit.MILLISECONDS);
                assertThat(result.finding()).isNull();
                // Only deleted records may be skipped.
                assertThat(result.skippedTo()).isIn(0L, RECORDS / 4L);
            }
            assertThat(shared() - sharedBefore).isPositive();
            assertThat(proxy.metrics().count("slipstream_requests_total", "api", "FETCH", "path", "rdma"))
                    .isGreaterThan(50);
        } finally {
            threads.shutdownNow();
            assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static FollowingConsumer follower(TopicPartition partition, int pauseMs, long end) {
        return new FollowingConsumer(proxy.bootstrapServers(), partition, ONE_FETCH_BYTES, pauseMs, end);
    }
}
