// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A stock producer on its own thread that sends single records through one proxy, each after the acknowledgement of the
 * previous one. Its acknowledgements show when service is restored. It reconnects without back-off, so that the
 * measurement excludes the client's own delay.
 */
final class Probe implements AutoCloseable {
    static final String TOPIC = "probe";
    private static final long PAUSE_NS = 3_000_000L;
    private static final int VALUE_BYTES = 64;

    private final Recoveries.Acknowledgements acknowledgements;
    private final KafkaProducer<byte[], byte[]> producer;
    private final Thread thread;
    private volatile boolean stopped;

    Probe(String bootstrap, Recoveries.Acknowledgements acknowledgements) {
        this.acknowledgements = acknowledgements;
        producer = new KafkaProducer<>(
                Map.ofEntries(
                        Map.entry(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap),
                        Map.entry(ProducerConfig.CLIENT_ID_CONFIG, TOPIC),
                        Map.entry(ProducerConfig.ACKS_CONFIG, "1"),
                        Map.entry(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false),
                        Map.entry(ProducerConfig.LINGER_MS_CONFIG, 0),
                        Map.entry(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000),
                        Map.entry(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 20_000),
                        Map.entry(ProducerConfig.METADATA_MAX_AGE_CONFIG, 1_000),
                        Map.entry(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, 5),
                        Map.entry(ProducerConfig.RETRY_BACKOFF_MAX_MS_CONFIG, 20),
                        Map.entry(ProducerConfig.RECONNECT_BACKOFF_MS_CONFIG, 1),
                        Map.entry(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 20)),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        thread = new Thread(this::run, TOPIC);
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        byte[] value = new byte[VALUE_BYTES];
        while (!stopped) {
            long invokedNs = System.nanoTime();
            try {
                producer.send(new ProducerRecord<>(TOPIC, 0, null, value)).get(30, TimeUnit.SECONDS);
                acknowledgements.acknowledged(invokedNs, System.nanoTime());
            } catch (ExecutionException | TimeoutException | KafkaException ofAFault) {
                // The next acknowledgement shows it.
            } catch (InterruptedException e) {
                return;
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    @Override
    public void close() {
        stopped = true;
        thread.interrupt();
        producer.close(Duration.ZERO);
    }
}
