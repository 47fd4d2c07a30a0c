// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.BatchType;
import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.BrokerEvent.LogDumped;
import io.slipstream.history.BrokerEvent.PartitionDeleted;
import io.slipstream.history.BrokerEvent.RecordsDeletable;
import io.slipstream.history.ClientEvent.Assigned;
import io.slipstream.history.ClientEvent.OffsetsCommitted;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.ProducerInitialized;
import io.slipstream.history.ClientEvent.SendCompleted;
import io.slipstream.history.ClientEvent.SendInvoked;
import io.slipstream.history.ClientEvent.TransactionBegun;
import io.slipstream.history.ClientEvent.TransactionEnded;
import io.slipstream.history.ClientEvent.TransactionOffsetsSent;
import io.slipstream.history.ClientEvent.WatermarksObserved;
import io.slipstream.history.Declaration.ConsumerDeclared;
import io.slipstream.history.Declaration.PartitionDeclared;
import io.slipstream.history.Declaration.ProducerDeclared;
import io.slipstream.history.DumpKind;
import io.slipstream.history.Event;
import io.slipstream.history.History;
import io.slipstream.history.Outcome;
import io.slipstream.history.RecordRun;
import io.slipstream.history.RunEvent.FaultsStopped;
import io.slipstream.history.ValueId;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Reads a history into {@link Facts}. */
final class FactsBuilder {
    private static final int CONFLICTS_KEPT = 1_000;

    private final Facts facts = new Facts();
    /** The last dump of which a batch was seen. */
    private int dump = -1;

    private FactsBuilder() {}

    static Facts build(History history) {
        FactsBuilder builder = new FactsBuilder();
        history.forEach(builder::visit);
        builder.settleGroups();
        return builder.facts;
    }

    private void visit(Event event) {
        facts.events++;
        if (event instanceof SendInvoked invoked) {
            at(invoked.atNs());
            facts.producer(invoked.producer())
                    .invoke(
                            invoked.sequence(),
                            invoked.atNs(),
                            invoked.partition(),
                            invoked.transaction(),
                            invoked.digest(),
                            invoked.source());
        } else if (event instanceof SendCompleted completed) {
            complete(completed);
        } else if (event instanceof Polled polled) {
            poll(polled);
        } else if (event instanceof BatchDumped batch) {
            dump(batch);
        } else {
            visitRare(event);
        }
    }

    private void visitRare(Event event) {
        if (event instanceof PartitionDeclared declared) {
            facts.partitions.add(new PartitionFacts(declared.topic() + "-" + declared.index()));
        } else if (event instanceof ProducerDeclared declared) {
            facts.producers.add(new SendColumns(
                    declared.producer(),
                    declared.kind(),
                    declared.acks(),
                    declared.retries(),
                    declared.transactionalId()));
            facts.transactions.add(new Transactions());
        } else if (event instanceof ConsumerDeclared declared) {
            facts.consumers.add(new ConsumerFacts(
                    declared.consumer(), declared.kind(), declared.group(), declared.readCommitted()));
        } else if (event instanceof Assigned assigned) {
            assign(assigned);
        } else if (event instanceof LogDumped dumped) {
            beginDump(dumped);
        } else if (event instanceof WatermarksObserved observed) {
            PartitionFacts partition = facts.partition(observed.partition());
            partition.observedEpoch(observed.leaderEpoch(), observed.atNs());
            partition.logStarts.seen(
                    observed.invokedNs(), observed.atNs(), observed.leaderEpoch(), observed.logStart());
        } else if (event instanceof RecordsDeletable deletable) {
            facts.partition(deletable.partition()).logStarts.deletable(deletable.atNs(), deletable.below());
        } else if (event instanceof PartitionDeleted deleted) {
            facts.partition(deleted.partition()).deletedNs = deleted.invokedNs();
        } else if (event instanceof FaultsStopped stopped) {
            facts.faultsStoppedNs = stopped.atNs();
        } else {
            visitGroupOrTransaction(event);
        }
    }

    private void visitGroupOrTransaction(Event event) {
        if (event instanceof TransactionBegun begun) {
            facts.transactions.get(begun.producer()).get(begun.transaction());
        } else if (event instanceof TransactionEnded ended) {
            facts.transactions.get(ended.producer()).end(ended);
        } else if (event instanceof TransactionOffsetsSent sent) {
            facts.transactions
                    .get(sent.producer())
                    .get(sent.transaction())
                    .offsets
                    .add(sent);
        } else if (event instanceof ProducerInitialized initialized && initialized.outcome() == Outcome.OK) {
            facts.initializedNs.put(initialized.producer(), initialized.atNs());
        } else if (event instanceof OffsetsCommitted committed && committed.outcome() != Outcome.FAILED) {
            boolean certain = committed.outcome() == Outcome.OK;
            for (int i = 0; i < committed.partitions().length; i++) {
                commitsOf(committed.group(), committed.partitions()[i])
                        .add(new GroupCommit(
                                committed.invokedNs(),
                                certain ? committed.atNs() : SendColumns.NEVER,
                                committed.offsets()[i],
                                certain));
            }
        }
    }

    private List<GroupCommit> commitsOf(String group, int partition) {
        return facts.commits
                .computeIfAbsent(group, any -> new TreeMap<>())
                .computeIfAbsent(partition, any -> new ArrayList<>());
    }

    /**
     * Offsets sent to a transaction count as committed when the transaction is known to be committed, and as possibly
     * committed when its outcome is unknown.
     */
    private void settleGroups() {
        for (Transactions transactions : facts.transactions) {
            for (int i = 0; i < transactions.count(); i++) {
                Transactions.One one = transactions.get(i);
                boolean committed = one.state == TransactionState.COMMITTED;
                if (!committed && one.state != TransactionState.UNKNOWN) {
                    continue;
                }
                for (TransactionOffsetsSent sent : one.offsets) {
                    for (int k = 0; k < sent.partitions().length; k++) {
                        commitsOf(sent.group(), sent.partitions()[k])
                                .add(new GroupCommit(
                                        one.commitInvokedNs,
                                        committed ? one.endedNs : SendColumns.NEVER,
                                        sent.offsets()[k],
                                        committed));
                    }
                }
            }
        }
    }

    private void at(long atNs) {
        facts.firstNs = Math.min(facts.firstNs, atNs);
        facts.lastNs = Math.max(facts.lastNs, atNs);
    }

    private void complete(SendCompleted completed) {
        at(completed.atNs());
        SendColumns sends = facts.producer(completed.producer());
        sends.complete(completed.sequence(), completed.atNs(), completed.outcome(), completed.offset());
        if (completed.outcome() == Outcome.OK) {
            facts.acknowledged++;
        }
        boolean claims = completed.outcome() == Outcome.OK && completed.offset() >= 0 && sends.acks == -1;
        if (claims && sends.isInvoked(completed.sequence())) {
            long value = ValueId.of(completed.producer(), completed.sequence());
            place(sends.partition(completed.sequence()), completed.offset(), value, "acknowledged");
        }
    }

    private void assign(Assigned assigned) {
        ConsumerFacts consumer = facts.consumer(assigned.consumer());
        if (consumer.isFinal()) {
            for (int partition : assigned.partitions()) {
                facts.partition(partition).finallyRead |= !consumer.readCommitted();
                facts.partition(partition).finallyReadCommitted |= consumer.readCommitted();
            }
        }
    }

    private void poll(Polled polled) {
        at(polled.atNs());
        ConsumerFacts consumer = facts.consumer(polled.consumer());
        int flags = SendColumns.POLLED;
        if (consumer.isFinal()) {
            flags |= consumer.readCommitted() ? SendColumns.READ_COMMITTED_AT_END : SendColumns.READ_AT_END;
        }
        RecordRun records = polled.records();
        facts.polled += records.size();
        for (int i = 0; i < records.size(); i++) {
            SendColumns sends = observe(polled.partition(), records, i, consumer);
            if (sends != null) {
                sends.flag(ValueId.sequence(records.value(i)), flags);
            }
        }
    }

    private void beginDump(LogDumped dumped) {
        PartitionFacts partition = facts.partition(dumped.partition());
        partition.keptBy(dumped.node());
        boolean counts = dumped.kind() == DumpKind.FINAL && dumped.inSync() && partition.takesReplica();
        ReplicaLog log = new ReplicaLog(dumped, counts ? 1 << partition.inSync.size() : 0);
        facts.dumps.add(log);
        if (counts) {
            partition.inSync.add(log);
        }
        if (dumped.kind() == DumpKind.FINAL) {
            partition.logStarts.dumped(dumped.logStart());
        }
    }

    private void dump(BatchDumped batch) {
        ReplicaLog log = facts.dumps.get(batch.dump());
        if (log.header.kind() == DumpKind.FINAL && batch.dump() != dump) {
            dump = batch.dump(); // dumps are consecutive
            facts.partition(log.header.partition()).logStarts.replicaBegins(batch.baseOffset());
        }
        if (log.bit == 0) {
            return;
        }
        if (log.isReference()) {
            log.add(batch);
        }
        RecordRun records = batch.records();
        LongList undecided = null;
        if (log.isReference() && batch.type() == BatchType.TRANSACTIONAL) {
            undecided = log.undecided.computeIfAbsent(batch.producerId(), any -> new LongList());
        }
        for (int i = 0; i < records.size(); i++) {
            if (log.header.highWatermark() >= 0 && records.offset(i) >= log.header.highWatermark()) {
                continue;
            }
            SendColumns sends = observe(log.header.partition(), records, i, log.header);
            if (sends != null) {
                sends.inReplica(ValueId.sequence(records.value(i)), log.bit);
                if (undecided != null) {
                    undecided.add(records.value(i));
                }
            }
        }
        if (log.isReference()) {
            decide(log, batch);
        }
    }

    private void decide(ReplicaLog log, BatchDumped batch) {
        LongList values = log.undecided.get(batch.producerId());
        if (values == null || batch.type() != BatchType.COMMIT_MARKER && batch.type() != BatchType.ABORT_MARKER) {
            return;
        }
        int flag = batch.type() == BatchType.COMMIT_MARKER ? SendColumns.COMMITTED_IN_LOG : SendColumns.ABORTED_IN_LOG;
        for (int i = 0; i < values.size(); i++) {
            long value = values.get(i);
            facts.producer(ValueId.producer(value)).flag(ValueId.sequence(value), flag);
        }
        values.clear();
    }

    /**
     * Records the place of a value. Returns null if the record is not a value sent to this place; other checks report
     * that.
     */
    private SendColumns observe(int partition, RecordRun records, int i, Object reader) {
        long value = records.value(i);
        SendColumns sends = facts.senderOf(value);
        int sequence = ValueId.sequence(value);
        if (sends == null || records.described(i) != partition || sends.partition(sequence) != partition) {
            return null;
        }
        long offset = records.offset(i);
        place(partition, offset, value, reader);
        long seen = sends.seenOffset(sequence);
        if (seen < 0) {
            sends.seen(sequence, offset);
        } else if (seen != offset) {
            sends.flag(sequence, SendColumns.DUPLICATED);
            if (!sends.mayRepeat()) {
                conflict("duplicate", partition, offset, value, seen, reader);
            }
        }
        return sends;
    }

    private void place(int partition, long offset, long value, Object reader) {
        facts.observations++;
        long there = facts.partition(partition).versions.putIfAbsent(offset, value);
        if (there != value) {
            conflict("inconsistent-offsets", partition, offset, value, there, reader);
        }
    }

    private void conflict(String kind, int partition, long offset, long value, long other, Object reader) {
        if (facts.conflicts.size() < CONFLICTS_KEPT) {
            String seenBy = reader instanceof ConsumerFacts consumer
                    ? "polled by " + consumer.name()
                    : reader instanceof LogDumped dump ? "in the log of node " + dump.node() : reader.toString();
            facts.conflicts.add(new Conflict(kind, partition, offset, value, other, seenBy));
        }
    }
}
