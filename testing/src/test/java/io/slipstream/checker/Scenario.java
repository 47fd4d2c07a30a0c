// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.BatchType;
import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.BrokerEvent.LogDumped;
import io.slipstream.history.ClientEvent.Assigned;
import io.slipstream.history.ClientEvent.OffsetsCommitted;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.Positioned;
import io.slipstream.history.ClientEvent.SendCompleted;
import io.slipstream.history.ClientEvent.SendInvoked;
import io.slipstream.history.ClientEvent.TransactionBegun;
import io.slipstream.history.ClientEvent.TransactionEnded;
import io.slipstream.history.ClientEvent.WatermarksObserved;
import io.slipstream.history.ConsumerKind;
import io.slipstream.history.Declaration.ConsumerDeclared;
import io.slipstream.history.Declaration.PartitionDeclared;
import io.slipstream.history.Declaration.ProducerDeclared;
import io.slipstream.history.Declaration.RunDeclared;
import io.slipstream.history.DumpKind;
import io.slipstream.history.Event;
import io.slipstream.history.MemoryHistory;
import io.slipstream.history.Outcome;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.RecordRun;
import io.slipstream.history.RunKind;
import io.slipstream.history.ValueId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Builds small histories. Every event takes a microsecond. */
final class Scenario {
    private static final long STEP_NS = 1_000;

    private final List<Event> events = new ArrayList<>();
    private final Map<Long, Integer> homes = new HashMap<>();
    private final List<Integer> sequences = new ArrayList<>();
    private int partitions;
    private int consumers;
    private int dumps;
    private long nowNs;

    /** A found record. */
    record At(long offset, long value) {}

    Scenario() {
        events.add(new RunDeclared(RunKind.SYNTHETIC, "direct", 0, "cluster"));
    }

    static At at(long offset, long value) {
        return new At(offset, value);
    }

    long now() {
        return nowNs += STEP_NS;
    }

    Scenario add(Event event) {
        events.add(event);
        return this;
    }

    int partition() {
        events.add(new PartitionDeclared(partitions, "topic", partitions));
        return partitions++;
    }

    int producer(ProducerKind kind) {
        return producer(kind, kind == ProducerKind.TRANSACTIONAL ? "transactional-" + sequences.size() : "");
    }

    int producer(ProducerKind kind, String transactionalId) {
        return producer(kind, -1, true, transactionalId);
    }

    int producer(ProducerKind kind, int acks, boolean retries, String transactionalId) {
        events.add(new ProducerDeclared(sequences.size(), kind, acks, retries, transactionalId));
        sequences.add(0);
        return sequences.size() - 1;
    }

    /** Of the first partition, from its start. */
    int consumer(ConsumerKind kind, String group, boolean readCommitted, int... assigned) {
        events.add(new ConsumerDeclared(consumers, kind, group, readCommitted));
        events.add(new Assigned(now(), consumers, assigned));
        for (int partition : assigned) {
            events.add(new Positioned(now(), consumers, partition, 0));
        }
        return consumers++;
    }

    int reader(int... assigned) {
        return consumer(ConsumerKind.ASSIGNED, "", false, assigned);
    }

    int committedReader(int... assigned) {
        return consumer(ConsumerKind.ASSIGNED, "", true, assigned);
    }

    long invoke(int producer, int partition) {
        return invoke(producer, partition, -1, ValueId.NONE);
    }

    long invoke(int producer, int partition, int transaction, long source) {
        int sequence = sequences.get(producer);
        sequences.set(producer, sequence + 1);
        long value = ValueId.of(producer, sequence);
        homes.put(value, partition);
        events.add(new SendInvoked(now(), producer, sequence, partition, transaction, digest(value), source));
        return value;
    }

    Scenario ok(long value, long offset) {
        return complete(value, Outcome.OK, offset, "");
    }

    Scenario complete(long value, Outcome outcome, long offset, String error) {
        return add(new SendCompleted(now(), ValueId.producer(value), ValueId.sequence(value), outcome, offset, error));
    }

    long sent(int producer, int partition, long offset) {
        long value = invoke(producer, partition);
        ok(value, offset);
        return value;
    }

    long sentIn(int transaction, int producer, int partition, long offset) {
        long value = invoke(producer, partition, transaction, ValueId.NONE);
        ok(value, offset);
        return value;
    }

    Scenario begin(int producer, int transaction) {
        return add(new TransactionBegun(now(), producer, transaction));
    }

    Scenario end(int producer, int transaction, boolean commit, Outcome outcome) {
        return add(new TransactionEnded(now(), now(), producer, transaction, commit, outcome, ""));
    }

    Scenario poll(int consumer, int partition, At... records) {
        return poll(consumer, partition, run(records));
    }

    Scenario poll(int consumer, int partition, RecordRun records) {
        long after = records.size() == 0 ? -1 : records.offset(records.size() - 1) + 1;
        return add(new Polled(now(), now(), consumer, partition, -1, after, records));
    }

    Scenario commit(int consumer, String group, int partition, long offset) {
        return add(new OffsetsCommitted(
                now(), now(), consumer, group, new int[] {partition}, new long[] {offset}, Outcome.OK, ""));
    }

    /** A read from zero with read_uncommitted. */
    Scenario finalRead(int partition, At... records) {
        return poll(consumer(ConsumerKind.FROM_ZERO, "", false, partition), partition, records);
    }

    Scenario committedFinalRead(int partition, At... records) {
        return poll(consumer(ConsumerKind.FROM_ZERO, "", true, partition), partition, records);
    }

    /** The leader of that epoch reports watermarks to an observer; the log starts at 0. */
    Scenario observe(int partition, int leaderEpoch, long highWatermark, long lastStableOffset) {
        return observe(partition, leaderEpoch, highWatermark, lastStableOffset, 0);
    }

    Scenario observe(int partition, int leaderEpoch, long highWatermark, long lastStableOffset, long logStart) {
        return add(new WatermarksObserved(
                now(), now(), "admin", partition, leaderEpoch, highWatermark, lastStableOffset, logStart));
    }

    /** An in-sync replica's final log, one record per batch, without producer ids. */
    Scenario dump(int node, int partition, At... records) {
        return dumpFrom(0, node, partition, records);
    }

    /** The same of a log that starts at this offset. */
    Scenario dumpFrom(long logStart, int node, int partition, At... records) {
        long end = records.length == 0 ? logStart : records[records.length - 1].offset() + 1;
        Dump dump = beginDump(DumpKind.FINAL, node, partition, logStart, end);
        for (At record : records) {
            dump.batch(-1, -1, -1, BatchType.DATA, record);
        }
        return this;
    }

    Dump beginDump(DumpKind kind, int node, int partition, long end) {
        return beginDump(kind, node, partition, 0, end);
    }

    private Dump beginDump(DumpKind kind, int node, int partition, long logStart, long end) {
        int dump = dumps++;
        events.add(new LogDumped(dump, kind, partition, node, true, logStart, end, end, now()));
        return new Dump(dump);
    }

    /** Batches of one dump. */
    final class Dump {
        private final int dump;

        Dump(int dump) {
            this.dump = dump;
        }

        Dump batch(long producerId, int epoch, int sequence, BatchType type, At... records) {
            long base = records[0].offset();
            long last = records[records.length - 1].offset();
            return batch(base, last, producerId, epoch, sequence, type, true, base, run(records));
        }

        Dump marker(long offset, long producerId, int epoch, boolean commit) {
            BatchType type = commit ? BatchType.COMMIT_MARKER : BatchType.ABORT_MARKER;
            return batch(offset, offset, producerId, epoch, -1, type, true, offset, RecordRun.EMPTY);
        }

        /** Changes the last batch of the history, which must belong to a dump. */
        Dump underLeaderEpoch(int epoch) {
            BatchDumped last = (BatchDumped) events.remove(events.size() - 1);
            events.add(new BatchDumped(
                    last.dump(),
                    last.baseOffset(),
                    last.lastOffset(),
                    epoch,
                    last.producerId(),
                    last.producerEpoch(),
                    last.baseSequence(),
                    last.type(),
                    last.crcValid(),
                    last.hash(),
                    last.records()));
            return this;
        }

        Dump batch(
                long base,
                long last,
                long producerId,
                int epoch,
                int sequence,
                BatchType type,
                boolean valid,
                long hash,
                RecordRun records) {
            events.add(new BatchDumped(dump, base, last, 0, producerId, epoch, sequence, type, valid, hash, records));
            return this;
        }
    }

    RecordRun run(At... records) {
        RecordRun.Builder run = new RecordRun.Builder(records.length);
        for (At record : records) {
            run.add(record.offset(), record.value(), homes.getOrDefault(record.value(), 0), digest(record.value()), 0);
        }
        return run.build();
    }

    static int digest(long value) {
        return Long.hashCode(value) * 31;
    }

    List<Event> events() {
        return events;
    }

    Report report() {
        return Checker.check(MemoryHistory.of(events));
    }

    /** Returns the kinds of anomalies that the checker finds. */
    Set<String> kinds() {
        return new TreeSet<>(report().counts().keySet());
    }
}
