// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.workload;

import io.slipstream.history.ClientEvent.Assigned;
import io.slipstream.history.ClientEvent.OffsetsCommitted;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.Positioned;
import io.slipstream.history.ClientEvent.Revoked;
import io.slipstream.history.ClientEvent.SendCompleted;
import io.slipstream.history.ClientEvent.SendInvoked;
import io.slipstream.history.ConsumerKind;
import io.slipstream.history.Declaration.ConsumerDeclared;
import io.slipstream.history.Declaration.PartitionDeclared;
import io.slipstream.history.Declaration.ProducerDeclared;
import io.slipstream.history.Declaration.RunDeclared;
import io.slipstream.history.History;
import io.slipstream.history.MemoryHistory;
import io.slipstream.history.Outcome;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.RecordRun;
import io.slipstream.history.RunKind;
import io.slipstream.history.ValueId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The history of a workload. Each partition of each start of a client is one producer, because its sequences start
 * there. Readers compare bytes, so all digests are 0. All leader epochs are 0, because not every library reports them.
 */
final class WorkloadHistory {
    private static final long NS_PER_MS = 1_000_000L;

    private final MemoryHistory history = new MemoryHistory();
    private final Map<Home, Integer> partitions = new HashMap<>();
    private final Map<Incarnation, Integer> producers = new LinkedHashMap<>();
    private int consumers;
    private long lastNs;

    private record Home(String topic, int partition) {}

    private record Incarnation(String topic, int partition, long run) {}

    private WorkloadHistory() {}

    /** @param log final contents of the workload's topics, in offset order per partition */
    static History of(ClientResults results, List<LoggedRecord> log) {
        WorkloadHistory made = new WorkloadHistory();
        made.history.record(new RunDeclared(RunKind.CONTAINERS, "rdma", 0, "containers"));
        results.producers().forEach(made::addProducer);
        results.consumers().forEach(made::addConsumer);
        made.addLog(log);
        return made.history;
    }

    private int partition(String topic, int index) {
        return partitions.computeIfAbsent(new Home(topic, index), home -> {
            history.record(new PartitionDeclared(partitions.size(), topic, index));
            return partitions.size();
        });
    }

    private int producer(String topic, int partition, long run) {
        return producers.computeIfAbsent(new Incarnation(topic, partition, run), one -> {
            history.record(new ProducerDeclared(producers.size(), ProducerKind.IDEMPOTENT, -1, true, ""));
            return producers.size();
        });
    }

    /** Returns the value's name; none if no client reports such a send. */
    private long value(String topic, int partition, long run, int sequence) {
        Integer producer = producers.get(new Incarnation(topic, partition, run));
        return producer == null ? ValueId.NONE : ValueId.of(producer, sequence);
    }

    private void addProducer(List<ResultLine> lines) {
        String topic = lines.get(0).topic();
        long run = lines.get(0).run();
        for (ResultLine line : lines) {
            if (line.is(ResultLine.SENDING)) {
                int partition = partition(topic, line.partition());
                int producer = producer(topic, line.partition(), run);
                for (int sequence = line.sequence(); sequence < line.sequence() + line.count(); sequence++) {
                    history.record(new SendInvoked(ns(line.at()), producer, sequence, partition, -1, 0, ValueId.NONE));
                }
            } else if (line.is(ResultLine.ACKNOWLEDGED)) {
                complete(line, producer(topic, line.partition(), run), Outcome.OK, line.offset());
            } else if (line.is(ResultLine.GIVEN_UP)) {
                complete(line, producer(topic, line.partition(), run), Outcome.UNKNOWN, -1);
            }
        }
    }

    private void complete(ResultLine line, int producer, Outcome outcome, long offset) {
        String error = line.error() == null ? "" : line.error();
        history.record(new SendCompleted(ns(line.at()), producer, line.sequence(), outcome, offset, error));
    }

    private void addConsumer(List<ResultLine> lines) {
        new Membership(lines.get(0)).addAll(lines);
    }

    /** One start of a client as a group member. */
    private final class Membership {
        private final int consumer = consumers++;
        private final String topic;
        private final String group;
        /** Assigned partitions without a record read since. */
        private final Set<Integer> fresh = new HashSet<>();
        /** Partitions with a definite offset commit. */
        private final Set<Integer> committed = new HashSet<>();

        Membership(ResultLine started) {
            topic = started.topic();
            group = started.group();
            history.record(new ConsumerDeclared(consumer, ConsumerKind.GROUP, group, false));
        }

        void addAll(List<ResultLine> lines) {
            for (ResultLine line : lines) {
                switch (line.event()) {
                    case ResultLine.ASSIGNED -> {
                        fresh.addAll(line.partitions());
                        history.record(new Assigned(ns(line.at()), consumer, numbers(line.partitions())));
                    }
                    case ResultLine.REVOKED ->
                        history.record(new Revoked(ns(line.at()), consumer, numbers(line.partitions())));
                    case ResultLine.READ -> read(line);
                    case ResultLine.COMMITTED -> commit(line);
                    default -> {
                        // No claim about the log.
                    }
                }
            }
        }

        private int[] numbers(List<Integer> indexes) {
            return indexes.stream().mapToInt(index -> partition(topic, index)).toArray();
        }

        private void read(ResultLine line) {
            int partition = partition(topic, line.partition());
            // Libraries do not report start positions. Without transactions no offset is skipped, so the position is
            // that of the first record. A partition without commit starts at 0, or records are missing.
            if (fresh.remove(line.partition()) && committed.contains(line.partition())) {
                history.record(new Positioned(ns(line.at()), consumer, partition, line.offset()));
            }
            RecordRun.Builder record = new RecordRun.Builder(1);
            if (line.intact()) {
                record.add(line.offset(), value(topic, line.partition(), line.run(), line.sequence()), partition, 0, 0);
            } else {
                record.add(line.offset(), ValueId.NONE, RecordRun.CORRUPT, 0, 0);
            }
            history.record(new Polled(
                    ns(line.at()), ns(line.at()), consumer, partition, -1, line.offset() + 1, record.build()));
        }

        private void commit(ResultLine line) {
            TreeMap<Integer, Long> offsets = new TreeMap<>(line.offsets());
            boolean certain = "ok".equals(line.outcome());
            if (certain) {
                committed.addAll(offsets.keySet());
            }
            history.record(new OffsetsCommitted(
                    ns(line.since()),
                    ns(line.at()),
                    consumer,
                    group,
                    numbers(List.copyOf(offsets.keySet())),
                    offsets.values().stream().mapToLong(Long::longValue).toArray(),
                    certain ? Outcome.OK : Outcome.UNKNOWN,
                    line.error() == null ? "" : line.error()));
        }
    }

    /** Adds a final reader without group that starts at 0. */
    private void addLog(List<LoggedRecord> log) {
        int consumer = consumers++;
        history.record(new ConsumerDeclared(consumer, ConsumerKind.FROM_ZERO, "", false));
        log.forEach(record -> partition(record.topic(), record.partition()));
        Map<Integer, RecordRun.Builder> runs = new TreeMap<>();
        partitions.values().forEach(partition -> runs.put(partition, new RecordRun.Builder(16)));
        for (LoggedRecord record : log) {
            int partition = partition(record.topic(), record.partition());
            WorkloadValue.decode(record.value())
                    .ifPresentOrElse(
                            value -> runs.get(partition)
                                    .add(
                                            record.offset(),
                                            value(value.topic(), value.partition(), value.run(), value.sequence()),
                                            partitions.getOrDefault(
                                                    new Home(value.topic(), value.partition()), RecordRun.FOREIGN),
                                            0,
                                            0),
                            () -> runs.get(partition).add(record.offset(), ValueId.NONE, RecordRun.CORRUPT, 0, 0));
        }
        int[] all = runs.keySet().stream().mapToInt(Integer::intValue).toArray();
        history.record(new Assigned(lastNs, consumer, all));
        runs.forEach((partition, run) -> {
            RecordRun records = run.build();
            history.record(new Positioned(lastNs, consumer, partition, 0));
            history.record(new Polled(lastNs, lastNs, consumer, partition, 0, records.size(), records));
        });
    }

    private long ns(long ms) {
        lastNs = Math.max(lastNs, ms * NS_PER_MS);
        return ms * NS_PER_MS;
    }
}
