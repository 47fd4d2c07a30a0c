// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.compaction;

import io.slipstream.process.Patience;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Overwrites a few keys repeatedly: single records and tombstones, committed and aborted transactions. */
final class KeyedWriter implements AutoCloseable {
    private static final int KEYS = 30;
    private static final int RECORDS_A_TRANSACTION = 20;

    private final String topic;
    private final Random random;
    private final KafkaProducer<byte[], byte[]> plain;
    private final KafkaProducer<byte[], byte[]> transactional;

    KeyedWriter(String bootstrap, String topic, Random random) {
        this.topic = topic;
        this.random = random;
        plain = new KafkaProducer<>(settings(bootstrap, Map.of()));
        transactional = new KafkaProducer<>(settings(bootstrap, Map.of("transactional.id", topic)));
        transactional.initTransactions();
    }

    private static Map<String, Object> settings(String bootstrap, Map<String, Object> more) {
        Map<String, Object> all = new java.util.HashMap<>(more);
        all.put("bootstrap.servers", bootstrap);
        all.put("key.serializer", ByteArraySerializer.class);
        all.put("value.serializer", ByteArraySerializer.class);
        all.put("batch.size", "12000");
        all.put("linger.ms", "2");
        return all;
    }

    /** Writes some 1.2 MB and returns when all is acknowledged. */
    void burst() throws Exception {
        for (int i = 0; i < 10; i++) {
            Future<?> last = null;
            transactional.beginTransaction();
            for (int k = 0; k < RECORDS_A_TRANSACTION; k++) {
                transactional.send(record());
                last = plain.send(record());
            }
            plain.flush();
            last.get(Patience.ms(10_000), TimeUnit.MILLISECONDS);
            if (random.nextBoolean()) {
                transactional.commitTransaction();
            } else {
                transactional.flush();
                transactional.abortTransaction();
            }
        }
    }

    private ProducerRecord<byte[], byte[]> record() {
        byte[] key = {(byte) random.nextInt(KEYS)};
        if (random.nextInt(20) == 0) {
            return new ProducerRecord<>(topic, key, null);
        }
        byte[] value = new byte[random.nextInt(6000)];
        random.nextBytes(value);
        return new ProducerRecord<>(topic, key, value);
    }

    @Override
    public void close() {
        plain.close();
        transactional.close();
    }
}
