// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.replication;

import io.slipstream.process.BrokerProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.Record;

/** What the files of one replica hold. */
final class ReplicaRecords {
    private ReplicaRecords() {}

    /** The files of the log, in order. */
    static List<Path> segments(BrokerProcess broker, TopicPartition partition) throws IOException {
        try (Stream<Path> files = Files.list(broker.logDirectory().resolve(partition.toString()))) {
            return files.filter(each -> each.toString().endsWith(".log"))
                    .sorted()
                    .toList();
        }
    }

    /** The records by offset, as key and value. Fails if one is damaged. */
    static SortedMap<Long, String> of(BrokerProcess broker, TopicPartition partition) throws IOException {
        SortedMap<Long, String> all = new TreeMap<>();
        for (Path file : segments(broker, partition)) {
            try (FileRecords records = FileRecords.open(file.toFile(), false)) {
                records.batches().forEach(batch -> {
                    batch.ensureValid();
                    for (Record each : batch) {
                        all.put(each.offset(), text(each.key()) + "=" + text(each.value()));
                    }
                });
            }
        }
        return all;
    }

    private static String text(ByteBuffer bytes) {
        return bytes == null
                ? "null"
                : StandardCharsets.ISO_8859_1.decode(bytes).toString();
    }
}
