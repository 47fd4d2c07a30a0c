// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Receives and checks the events with the stock Java consumer as a group member, on its own thread. Other threads read
 * its state through volatile fields, or after {@link #finish()}.
 */
final class TrafficConsumer {
    private static final Duration POLL = Duration.ofMillis(200);

    private final String bootstrapServers;
    private final Map<String, Object> client;
    private final String topic;
    private final DeliveryCheck check;
    private final AtomicLongArray sentAloneNs;
    private final long firstAlone;
    private final Histogram deliveredNs = new Histogram(3);
    private final Thread thread = new Thread(this::run, "traffic-consumer");
    private volatile boolean assigned;
    private volatile boolean stop;
    private volatile long received;
    private volatile boolean complete;
    private volatile RuntimeException failure;

    /**
     * @param client authentication settings
     * @param firstAlone number of the first single event
     * @param sentAloneNs send time of each single event ({@link System#nanoTime()}), written before the send
     */
    TrafficConsumer(
            String bootstrapServers,
            Map<String, Object> client,
            String topic,
            DeliveryCheck check,
            long firstAlone,
            AtomicLongArray sentAloneNs) {
        this.bootstrapServers = bootstrapServers;
        this.client = client;
        this.topic = topic;
        this.check = check;
        this.firstAlone = firstAlone;
        this.sentAloneNs = sentAloneNs;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Returns whether the group assigned all partitions to this member. */
    boolean isAssigned() {
        return assigned || failure != null;
    }

    long received() {
        return received;
    }

    boolean isCompleteOrFailed() {
        return complete || failure != null;
    }

    RuntimeException failure() {
        return failure;
    }

    /** Ends the thread. Afterwards {@link #deliveredNs()} and the check may be read. */
    void finish() {
        stop = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    Histogram deliveredNs() {
        return deliveredNs;
    }

    private void run() {
        Map<String, Object> settings = new HashMap<>(client);
        settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, "traffic-control");
        settings.put(ConsumerConfig.CLIENT_ID_CONFIG, "traffic-control");
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(ConsumerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            while (!stop) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    take(record);
                }
                received = check.received();
                complete = check.isComplete();
                assigned = consumer.assignment().size() == TrafficSensors.ROADS;
            }
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        long number = check.accept(record.partition(), record.value());
        if (number >= firstAlone) {
            deliveredNs.recordValue(System.nanoTime() - sentAloneNs.get((int) (number - firstAlone)));
        }
    }
}
