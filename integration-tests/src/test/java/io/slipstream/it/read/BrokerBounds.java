// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import io.slipstream.process.Patience;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/** Kafka's Admin client, connected directly to the broker. Each call has a deadline. */
final class BrokerBounds implements LogBounds, AutoCloseable {
    private static final Duration PATIENCE = Patience.ofSeconds(30);

    private final Admin admin;

    BrokerBounds(String directBootstrap) {
        admin = Admin.create(Map.of("bootstrap.servers", directBootstrap));
    }

    Admin admin() {
        return admin;
    }

    @Override
    public long start(TopicPartition partition) {
        return offset(partition, OffsetSpec.earliest());
    }

    @Override
    public long end(TopicPartition partition) {
        return offset(partition, OffsetSpec.latest());
    }

    private long offset(TopicPartition partition, OffsetSpec which) {
        return get(admin.listOffsets(Map.of(partition, which)).all())
                .get(partition)
                .offset();
    }

    void deleteRecords(TopicPartition partition, long before) {
        get(admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(before)))
                .all());
    }

    static <T> T get(KafkaFuture<T> future) {
        try {
            return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("an Admin request failed", e);
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }
}
