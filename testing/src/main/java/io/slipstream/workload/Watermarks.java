// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.process.Patience;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Requests high watermarks, last stable offsets and log starts from leaders. */
final class Watermarks implements AutoCloseable {
    private final Admin admin;

    Watermarks(ClientSettings settings) {
        admin = Admin.create(settings.common());
    }

    Map<TopicPartition, ListOffsetsResultInfo> high(Collection<TopicPartition> partitions) {
        return ask(partitions, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED);
    }

    Map<TopicPartition, ListOffsetsResultInfo> stable(Collection<TopicPartition> partitions) {
        return ask(partitions, OffsetSpec.latest(), IsolationLevel.READ_COMMITTED);
    }

    Map<TopicPartition, ListOffsetsResultInfo> starts(Collection<TopicPartition> partitions) {
        return ask(partitions, OffsetSpec.earliest(), IsolationLevel.READ_UNCOMMITTED);
    }

    private Map<TopicPartition, ListOffsetsResultInfo> ask(
            Collection<TopicPartition> partitions, OffsetSpec which, IsolationLevel isolation) {
        Map<TopicPartition, OffsetSpec> request = new TreeMap<>(RecordingConsumer.BY_NAME);
        partitions.forEach(partition -> request.put(partition, which));
        try {
            return admin.listOffsets(request, new ListOffsetsOptions(isolation))
                    .all()
                    .get(Patience.ms(60_000), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaException("interrupted while offsets were asked for", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof KafkaException kafka
                    ? kafka
                    : new KafkaException("cannot ask for offsets", e);
        } catch (TimeoutException e) {
            throw new org.apache.kafka.common.errors.TimeoutException("offsets were asked for in vain", e);
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(1));
    }
}
