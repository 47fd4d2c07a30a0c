// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.job;

import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Records at a constant rate, by a stock producer with its defaults. */
final class Load {
    private Load() {}

    /**
     * Sends all records of the job to the topic that it reads, once it runs. The timed ones follow when it has
     * processed the others. Returns when all are acknowledged or have failed.
     */
    static void feed(JobArguments job, Stopwatch watch) throws InterruptedException {
        watch.awaitRunning();
        byte[] value = new byte[job.number("--record-size")];
        new Random(0).nextBytes(value);
        double periodNs = (double) TimeUnit.SECONDS.toNanos(1) / job.number("--per-second");
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, job.servers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            long startNs = System.nanoTime();
            int warmup = job.number("--warmup-records");
            int records = job.number("--num-records");
            for (int i = 0; i < records; i++) {
                if (i == warmup) {
                    watch.awaitWarm();
                    startNs = System.nanoTime() - (long) (i * periodNs);
                }
                long dueNs = startNs + (long) (i * periodNs);
                for (long leftNs = dueNs - System.nanoTime(); leftNs > 0; leftNs = dueNs - System.nanoTime()) {
                    LockSupport.parkNanos(leftNs);
                }
                producer.send(new ProducerRecord<>(job.from(), value), (metadata, failure) -> {
                    if (failure != null) {
                        failure.printStackTrace();
                    }
                });
            }
        }
    }
}
