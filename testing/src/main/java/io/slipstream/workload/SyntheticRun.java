// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.BatchType;
import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.BrokerEvent.GroupOffsetFound;
import io.slipstream.history.BrokerEvent.LogDumped;
import io.slipstream.history.ClientEvent.Assigned;
import io.slipstream.history.ClientEvent.OffsetsCommitted;
import io.slipstream.history.ClientEvent.Positioned;
import io.slipstream.history.ClientEvent.ProducerInitialized;
import io.slipstream.history.ClientEvent.SendCompleted;
import io.slipstream.history.ClientEvent.SendInvoked;
import io.slipstream.history.ClientEvent.TransactionBegun;
import io.slipstream.history.ClientEvent.TransactionEnded;
import io.slipstream.history.ConsumerKind;
import io.slipstream.history.Declaration.ConsumerDeclared;
import io.slipstream.history.Declaration.PartitionDeclared;
import io.slipstream.history.Declaration.ProducerDeclared;
import io.slipstream.history.Declaration.RunDeclared;
import io.slipstream.history.DumpKind;
import io.slipstream.history.Outcome;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.RecordRun;
import io.slipstream.history.Recorder;
import io.slipstream.history.RunEvent.FaultsStopped;
import io.slipstream.history.RunKind;
import io.slipstream.history.ValueId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Writes a fault-free history of any size, as from an ideal cluster, to measure the checker and to plant bugs in. Each
 * partition has a transactional, an idempotent and a plain producer, a reader, a group with one read_committed member,
 * two final readers and two replicas.
 */
public final class SyntheticRun {
    private static final int PRODUCERS_PER_PARTITION = 3;
    private static final int BATCHES_PER_TRANSACTION = 4;
    private static final int MOST_RECORDS_PER_BATCH = 120;
    private static final int MOST_RECORDS_PER_POLL = 500;
    private static final int BATCHES_BETWEEN_POLLS = 16;
    /** Starts with the second transaction of each producer. */
    private static final int ABORT_ONE_IN = 8;

    private static final String GROUP = "group";
    private static final String NO_ERROR = "";

    private final Recorder recorder;
    private final Random random;
    private final List<SyntheticLog> logs = new ArrayList<>();
    private final List<SyntheticReader> readers = new ArrayList<>();
    private final List<SyntheticReader> members = new ArrayList<>();
    private final int[] sequences;
    private final int[] transactions;
    /** Batches of each producer's open transaction; 0 without one. */
    private final int[] open;

    private long nowNs = 1_000_000_000L;
    private int nextConsumer;

    private SyntheticRun(Recorder recorder, long seed, int partitions) {
        this.recorder = recorder;
        random = new Random(seed);
        sequences = new int[partitions * PRODUCERS_PER_PARTITION];
        transactions = new int[sequences.length];
        open = new int[sequences.length];
        recorder.record(new RunDeclared(RunKind.SYNTHETIC, "synthetic", seed, "synthetic-cluster"));
        for (int partition = 0; partition < partitions; partition++) {
            logs.add(new SyntheticLog(partition));
            recorder.record(new PartitionDeclared(partition, "synthetic", partition));
        }
    }

    /** Records at least {@code records} sends and all their consequences. Does not close the recorder. */
    public static void record(Recorder recorder, long seed, int partitions, long records) {
        SyntheticRun run = new SyntheticRun(recorder, seed, partitions);
        run.declareClients();
        long sent = 0;
        for (int step = 1; sent < records; step++) {
            sent += run.produce();
            if (step % (BATCHES_BETWEEN_POLLS * partitions) == 0) {
                run.consume();
            }
        }
        run.finish();
    }

    static int digest(long value) {
        return (int) (value * 0x9e3779b97f4a7c15L >>> 32);
    }

    private void declareClients() {
        for (int producer = 0; producer < sequences.length; producer++) {
            ProducerKind kind = kind(producer);
            String transactionalId = kind == ProducerKind.TRANSACTIONAL ? "transactional-" + producer : "";
            recorder.record(new ProducerDeclared(producer, kind, -1, true, transactionalId));
            if (kind == ProducerKind.TRANSACTIONAL) {
                recorder.record(new ProducerInitialized(nowNs, nowNs + 1, producer, Outcome.OK, NO_ERROR));
            }
        }
        for (SyntheticLog log : logs) {
            readers.add(reader(ConsumerKind.ASSIGNED, "", false, log));
            members.add(reader(ConsumerKind.GROUP, GROUP, true, log));
        }
    }

    private static ProducerKind kind(int producer) {
        return ProducerKind.values()[producer % PRODUCERS_PER_PARTITION];
    }

    private SyntheticReader reader(ConsumerKind kind, String group, boolean readCommitted, SyntheticLog log) {
        int consumer = nextConsumer++;
        recorder.record(new ConsumerDeclared(consumer, kind, group, readCommitted));
        recorder.record(new Assigned(nowNs, consumer, new int[] {log.partition}));
        recorder.record(new Positioned(nowNs, consumer, log.partition, 0));
        return new SyntheticReader(consumer, readCommitted, log);
    }

    /** Writes one batch of one producer and returns its number of records. */
    private int produce() {
        int producer = random.nextInt(sequences.length);
        int count = 1 + random.nextInt(MOST_RECORDS_PER_BATCH);
        boolean transactional = kind(producer) == ProducerKind.TRANSACTIONAL;
        if (transactional && open[producer]++ == 0) {
            recorder.record(new TransactionBegun(nowNs, producer, transactions[producer]));
        }
        int first = sequences[producer];
        SyntheticLog log = logs.get(producer / PRODUCERS_PER_PARTITION);
        for (int i = 0; i < count; i++) {
            long value = ValueId.of(producer, first + i);
            int transaction = transactional ? transactions[producer] : -1;
            recorder.record(new SendInvoked(
                    nowNs + i, producer, first + i, log.partition, transaction, digest(value), ValueId.NONE));
        }
        nowNs += count + random.nextInt(1_000_000);
        BatchType type = transactional ? BatchType.TRANSACTIONAL : BatchType.DATA;
        long base = log.append(count, producer, first, type, kind(producer) == ProducerKind.PLAIN ? -1 : first);
        for (int i = 0; i < count; i++) {
            recorder.record(new SendCompleted(nowNs + i, producer, first + i, Outcome.OK, base + i, NO_ERROR));
        }
        nowNs += count;
        sequences[producer] += count;
        if (open[producer] >= BATCHES_PER_TRANSACTION) {
            endTransaction(producer, log);
        }
        return count;
    }

    private void endTransaction(int producer, SyntheticLog log) {
        boolean commit = transactions[producer] % ABORT_ONE_IN != 1;
        log.mark(producer, commit);
        recorder.record(new TransactionEnded(
                nowNs, nowNs + 1, producer, transactions[producer]++, commit, Outcome.OK, NO_ERROR));
        nowNs += 2;
        open[producer] = 0;
    }

    private void consume() {
        for (SyntheticReader reader : readers) {
            nowNs = reader.poll(recorder, nowNs, MOST_RECORDS_PER_POLL);
        }
        for (int partition = 0; partition < members.size(); partition++) {
            SyntheticReader member = members.get(partition);
            nowNs = member.poll(recorder, nowNs, MOST_RECORDS_PER_POLL);
            int[] partitions = {partition};
            long[] offsets = {member.position()};
            int consumer = 2 * partition + 1;
            recorder.record(
                    new OffsetsCommitted(nowNs, nowNs + 1, consumer, GROUP, partitions, offsets, Outcome.OK, NO_ERROR));
            nowNs += 2;
        }
    }

    private void finish() {
        for (int producer = 0; producer < open.length; producer++) {
            if (open[producer] > 0) {
                endTransaction(producer, logs.get(producer / PRODUCERS_PER_PARTITION));
            }
        }
        recorder.record(new FaultsStopped(nowNs++));
        consume();
        for (SyntheticLog log : logs) {
            recorder.record(new GroupOffsetFound(
                    GROUP, log.partition, members.get(log.partition).position()));
            nowNs = reader(ConsumerKind.FROM_ZERO, "", false, log).poll(recorder, nowNs, MOST_RECORDS_PER_POLL);
            nowNs = reader(ConsumerKind.FROM_ZERO, "", true, log).poll(recorder, nowNs, MOST_RECORDS_PER_POLL);
        }
        for (SyntheticLog log : logs) {
            dump(log, 1, 2 * log.partition);
            dump(log, 2, 2 * log.partition + 1);
        }
    }

    private void dump(SyntheticLog log, int node, int dump) {
        recorder.record(new LogDumped(dump, DumpKind.FINAL, log.partition, node, true, 0, log.end(), log.end(), nowNs));
        for (SyntheticBatch batch : log.batches) {
            RecordRun.Builder run = new RecordRun.Builder(batch.count());
            if (!batch.type().isControl()) {
                SyntheticReader.add(run, batch, log.partition);
            }
            boolean plain = kind(batch.producer()) == ProducerKind.PLAIN;
            recorder.record(new BatchDumped(
                    dump,
                    batch.baseOffset(),
                    batch.lastOffset(),
                    0,
                    plain ? -1 : batch.producer() + 1_000L,
                    plain ? -1 : 0,
                    batch.baseSequence(),
                    batch.type(),
                    true,
                    digest(batch.baseOffset()) ^ (long) batch.producer() << 40,
                    run.build()));
        }
    }
}
