// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.PluginCounts;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Checkout;
import io.slipstream.process.Deadline;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import io.slipstream.traced.CallsMXBean;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Counts the calls of Slipstream's own methods for one Produce and one Fetch of stock clients: default settings, shared
 * memory, one request at a time. Each figure counts the busiest thread. It is the minimum of several requests, because
 * timers add calls to some.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class CallsPerRequestIT {
    private static final int WARM_UP = 50;
    private static final int REQUESTS = 15;
    /** A link reports no more often what its clients have read. */
    private static final int REPORT_MS = 100;

    private static final int VALUE_BYTES = 100;
    private static final Duration PATIENCE = Patience.ofSeconds(20);
    private static final int MOST_OF_PRODUCE_IN_PROXY = 570;
    private static final int MOST_OF_PRODUCE_IN_BROKER = 321;
    private static final int MOST_OF_FETCH_IN_PROXY = 900;
    private static final int MOST_OF_FETCH_IN_BROKER = 20;

    /** The calls of one request, by process. */
    private record Calls(List<String> proxy, List<String> broker) {}

    @Test
    void shouldServeARequestWithFewCalls() throws Exception {
        try (BrokerProcess broker =
                        BrokerProcess.builder(BrokerLine.NEWEST).withAgent().start();
                ProxyProcess proxy = ProxyProcess.builder(broker).start();
                RawTopics topics = new RawTopics(broker.bootstrapServers());
                PluginCounts plugin = PluginCounts.of(broker)) {
            String topic = topics.create("traced", 1).name();
            try (KafkaProducer<byte[], byte[]> producer = producer(proxy);
                    KafkaConsumer<byte[], byte[]> consumer = consumer(proxy, topic)) {
                for (int i = 0; i < WARM_UP; i++) {
                    produce(producer, topic);
                }
                fetchInARow(consumer, plugin);
                PathCounts before = PathCounts.in(proxy.metrics());
                try (TracedProcess inProxy = TracedProcess.of(proxy.pid());
                        TracedProcess inBroker = TracedProcess.of(broker.pid())) {
                    Calls produced = least(inProxy, inBroker, () -> produce(producer, topic));
                    Calls fetched = least(inProxy, inBroker, () -> fetch(consumer));
                    PathCounts since = PathCounts.in(proxy.metrics()).since(before);

                    print("Produce", produced);
                    print("Fetch", fetched);
                    assertThat(since.rdmaProduced()).isEqualTo(REQUESTS);
                    assertThat(since.rdmaFetched()).isEqualTo(REQUESTS);
                    assertThat(produced.proxy()).hasSizeBetween(1, MOST_OF_PRODUCE_IN_PROXY);
                    assertThat(produced.broker()).hasSizeBetween(1, MOST_OF_PRODUCE_IN_BROKER);
                    assertThat(fetched.proxy()).hasSizeBetween(1, MOST_OF_FETCH_IN_PROXY);
                    assertThat(fetched.broker()).hasSizeLessThanOrEqualTo(MOST_OF_FETCH_IN_BROKER);
                    for (Calls calls : List.of(produced, fetched)) {
                        assertThat(calls.proxy()).noneMatch(CallsPerRequestIT::isOfLanding);
                        assertThat(calls.broker()).noneMatch(CallsPerRequestIT::isOfLanding);
                    }
                }
            }
        }
    }

    /** Fetches without traces, which are so fast that most of them cause no report. */
    private static void fetchInARow(KafkaConsumer<byte[], byte[]> consumer, PluginCounts plugin) throws Exception {
        fetch(consumer);
        long before = plugin.get("READ_REPORTS");
        long startNs = System.nanoTime();
        for (int i = 1; i < WARM_UP / 2; i++) {
            fetch(consumer);
        }
        long elapsedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
        assertThat(plugin.get("READ_REPORTS") - before)
                .as("reports of reads in %d ms", elapsedMs)
                .isLessThanOrEqualTo(2 + elapsedMs / REPORT_MS);
    }

    /**
     * Returns the calls of the thread with the most calls. A report of reads is not part of the Fetch, since it is due
     * a tenth of a second later. On a busy machine that is before the trace ends.
     */
    private static List<String> busiest(List<String> calls) {
        Map<String, List<String>> byThread = new HashMap<>();
        for (String call : calls) {
            int separator = call.indexOf(CallsMXBean.SEPARATOR);
            byThread.computeIfAbsent(call.substring(0, separator), thread -> new ArrayList<>())
                    .add(call.substring(separator + 1));
        }
        return byThread.values().stream()
                .filter(ofThread -> ofThread.stream().noneMatch(call -> call.endsWith("LinkService.reportReads")))
                .max(Comparator.comparing(List::size))
                .orElse(List.of());
    }

    private static boolean isOfLanding(String call) {
        return call.toLowerCase(Locale.ROOT).contains("landing");
    }

    /** Prints the counts, and writes each call in order to files. */
    private static void print(String request, Calls calls) throws IOException {
        System.out.printf(
                "one %s: %d calls in the proxy, of %d classes; %d in the broker, of %d classes%n",
                request,
                calls.proxy().size(),
                classes(calls.proxy()),
                calls.broker().size(),
                classes(calls.broker()));
        Path directory = Files.createDirectories(Checkout.root().resolve("integration-tests/target/calls"));
        Files.write(directory.resolve(request + "-proxy.txt"), calls.proxy());
        Files.write(directory.resolve(request + "-broker.txt"), calls.broker());
    }

    private static long classes(List<String> calls) {
        return calls.stream()
                .map(call -> call.substring(0, call.lastIndexOf('.')))
                .distinct()
                .count();
    }

    /** Returns the fewest calls of one request, separately for each process. */
    private static Calls least(TracedProcess inProxy, TracedProcess inBroker, Callable<Void> request) throws Exception {
        List<List<String>> ofProxy = new ArrayList<>();
        List<List<String>> ofBroker = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            inProxy.start();
            inBroker.start();
            request.call();
            ofProxy.add(busiest(inProxy.stop()));
            ofBroker.add(busiest(inBroker.stop()));
        }
        Comparator<List<String>> bySize = Comparator.comparing(List::size);
        return new Calls(Collections.min(ofProxy, bySize), Collections.min(ofBroker, bySize));
    }

    private static KafkaProducer<byte[], byte[]> producer(ProxyProcess proxy) {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", proxy.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private static Void produce(KafkaProducer<byte[], byte[]> producer, String topic) throws Exception {
        producer.send(new ProducerRecord<>(topic, 0, null, new byte[VALUE_BYTES]))
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        return null;
    }

    /** Each answer has one batch. The consumer returns the previous answer and already requests the next one. */
    private static KafkaConsumer<byte[], byte[]> consumer(ProxyProcess proxy, String topic) {
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        proxy.bootstrapServers(),
                        "fetch.max.bytes",
                        "1",
                        "max.partition.fetch.bytes",
                        "1"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        TopicPartition partition = new TopicPartition(topic, 0);
        consumer.assign(List.of(partition));
        consumer.seek(partition, 0);
        return consumer;
    }

    private static Void fetch(KafkaConsumer<byte[], byte[]> consumer) {
        int[] records = {0};
        Deadline.after(PATIENCE).await(() -> {
            records[0] = consumer.poll(Duration.ofMillis(100)).count();
            return records[0] > 0;
        });
        assertThat(records[0]).as("records of one poll").isEqualTo(1);
        return null;
    }
}
