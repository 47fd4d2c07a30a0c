// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLongArray;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * Sends sensor events and receives them in a consumer group, all with stock clients. It sends one event per road for
 * set-up, then the bulk at full speed, then single events for latencies.
 */
final class Demonstration {
    static final String TOPIC = "traffic-events";
    private static final int MOST_ALONE = 500;
    private static final Duration JOIN_PATIENCE = Patience.ofSeconds(30);
    private static final Duration STALL_PATIENCE = Patience.ofSeconds(30);

    private final String bootstrapServers;
    private final Admission admission;
    private final long records;
    private final long firstAlone;
    private final TrafficSensors sensors;

    Demonstration(String bootstrapServers, Admission admission, long records, long seed) {
        this.bootstrapServers = bootstrapServers;
        this.admission = admission;
        this.records = records;
        this.firstAlone = records - Math.min(MOST_ALONE, records / 10);
        this.sensors = new TrafficSensors(seed);
    }

    DemonstrationResult run() {
        createTopic();
        DeliveryCheck check = new DeliveryCheck(sensors, records);
        AtomicLongArray sentAloneNs = new AtomicLongArray((int) (records - firstAlone));
        Histogram acknowledgedNs = new Histogram(3);
        TrafficConsumer consumer = new TrafficConsumer(
                bootstrapServers, admission.client(Role.DASHBOARD), TOPIC, check, firstAlone, sentAloneNs);
        consumer.start();
        try (TrafficProducer producer =
                new TrafficProducer(bootstrapServers, admission.client(Role.SENSORS), TOPIC, sensors)) {
            long first = Math.min(TrafficSensors.ROADS, firstAlone);
            for (long number = 0; number < first; number++) {
                producer.sendAlone(number);
            }
            Deadline.after(JOIN_PATIENCE).await(() -> consumer.isAssigned() && consumer.received() >= first);

            long startNs = System.nanoTime();
            for (long number = first; number < firstAlone; number++) {
                producer.send(number);
            }
            producer.flush();
            awaitReceipt(consumer, firstAlone);
            long bulkNs = System.nanoTime() - startNs;

            for (long number = firstAlone; number < records; number++) {
                sentAloneNs.set((int) (number - firstAlone), System.nanoTime());
                acknowledgedNs.recordValue(producer.sendAlone(number));
            }
            awaitReceipt(consumer, records);
            consumer.finish();
            return new DemonstrationResult(
                    producer.acknowledged(),
                    check.received(),
                    check.mismatches(),
                    firstAlone - first,
                    bulkNs,
                    acknowledgedNs,
                    consumer.deliveredNs(),
                    describe(producer.failure(), consumer.failure()));
        }
    }

    /** Waits for {@code count} records; times out when records stop arriving. */
    private static void awaitReceipt(TrafficConsumer consumer, long count) {
        long before = -1;
        while (consumer.received() > before && consumer.received() < count && !consumer.isCompleteOrFailed()) {
            before = consumer.received();
            long progress = before;
            Deadline.after(STALL_PATIENCE)
                    .await(() -> consumer.received() >= count
                            || consumer.isCompleteOrFailed()
                            || consumer.received() > progress + count / 10);
        }
    }

    private void createTopic() {
        Map<String, Object> settings = new HashMap<>(admission.client(Role.SENSORS));
        settings.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        try (Admin admin = Admin.create(settings)) {
            admin.createTopics(List.of(new NewTopic(TOPIC, TrafficSensors.ROADS, (short) 1)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("cannot create topic " + TOPIC + " through " + bootstrapServers, e);
        }
    }

    private static String describe(Exception producerFailure, RuntimeException consumerFailure) {
        if (producerFailure != null) {
            return "producer: " + producerFailure;
        }
        return consumerFailure == null ? null : "consumer: " + consumerFailure;
    }
}
