// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import io.slipstream.faults.judge.MarkerExcuses.Remaining;
import io.slipstream.faults.judge.MarkerExcuses.Skipped;
import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.BrokerEvent.LogDumped;
import io.slipstream.history.ClientEvent.SendInvoked;
import io.slipstream.history.ClientEvent.TransactionBegun;
import io.slipstream.history.ClientEvent.TransactionEnded;
import io.slipstream.history.ClientEvent.TransactionOffsetsSent;
import io.slipstream.history.Declaration.PartitionDeclared;
import io.slipstream.history.Declaration.ProducerDeclared;
import io.slipstream.history.DumpKind;
import io.slipstream.history.Event;
import io.slipstream.history.History;
import io.slipstream.history.Outcome;
import io.slipstream.history.ValueId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds the transactions that lines of brokers name, and what a history knows about them. */
final class SkippedTransactions {
    /** Lines have milliseconds. */
    private static final long ROUNDING_NS = 1_000_000;

    private final Map<Integer, String> ids = new HashMap<>();
    private final Map<Integer, String> partitions = new HashMap<>();
    private final Map<Integer, LogDumped> dumps = new HashMap<>();
    private final Map<String, List<Begun>> begun = new HashMap<>();
    private final Map<Long, Integer> transactionOf = new HashMap<>();
    private final Map<Begun, Facts> facts = new HashMap<>();

    private SkippedTransactions() {}

    private static final class Begun {
        final int producer;
        final int number;
        final long beganNs;
        long endAskedNs = Long.MAX_VALUE;
        boolean ended;

        Begun(TransactionBegun event) {
            producer = event.producer();
            number = event.transaction();
            beganNs = event.atNs();
        }
    }

    /** Of one named transaction. */
    private static final class Facts {
        final Set<String> groups = new HashSet<>();
        final Map<Integer, Map<String, Long>> openFromByDump = new HashMap<>();
        long producerId = -1;
        long records;
    }

    static List<Skipped> resolve(List<SkippedMarker> lines, WallClock clock, History history) {
        SkippedTransactions all = new SkippedTransactions();
        history.forEach(all::visitTransaction);
        Map<SkippedMarker, Begun> named = new HashMap<>();
        for (SkippedMarker line : lines) {
            Begun one = all.named(line, clock.historyNs(line.wallMs()) + ROUNDING_NS);
            if (one != null) {
                named.put(line, one);
                all.facts.computeIfAbsent(one, any -> new Facts());
            }
        }
        history.forEach(all::visitFacts);
        List<Skipped> skipped = new ArrayList<>();
        named.forEach((line, one) -> skipped.add(all.skipped(line, one)));
        return skipped;
    }

    private void visitTransaction(Event event) {
        if (event instanceof ProducerDeclared declared) {
            ids.put(declared.producer(), declared.transactionalId());
        } else if (event instanceof PartitionDeclared declared) {
            partitions.put(declared.partition(), declared.topic() + "-" + declared.index());
        } else if (event instanceof TransactionBegun one) {
            begun.computeIfAbsent(ids.get(one.producer()), any -> new ArrayList<>())
                    .add(new Begun(one));
        } else if (event instanceof TransactionEnded end) {
            for (Begun one : begun.getOrDefault(ids.get(end.producer()), List.of())) {
                if (one.producer == end.producer() && one.number == end.transaction()) {
                    one.endAskedNs = Math.min(one.endAskedNs, end.invokedNs());
                    one.ended |= end.outcome() == Outcome.OK;
                }
            }
        }
    }

    /**
     * The last transaction of the id whose end was asked for before the line; a later one if it began before the line
     * and its producer never ended it, for then the coordinator did. The next transaction of a living producer ends
     * only after the line.
     */
    private Begun named(SkippedMarker line, long lineNs) {
        Begun found = null;
        for (Begun one : begun.getOrDefault(line.transactionalId(), List.of())) {
            boolean asked = one.endAskedNs <= lineNs;
            boolean abandoned = one.beganNs <= lineNs && !one.ended;
            found = asked || abandoned ? one : found;
        }
        return found;
    }

    private void visitFacts(Event event) {
        if (event instanceof SendInvoked sent && sent.transaction() >= 0) {
            facts.forEach((one, known) -> {
                if (one.producer == sent.producer() && one.number == sent.transaction()) {
                    known.records++;
                    transactionOf.put(ValueId.of(sent.producer(), sent.sequence()), sent.transaction());
                }
            });
        } else if (event instanceof TransactionOffsetsSent sent) {
            facts.forEach((one, known) -> {
                if (one.producer == sent.producer() && one.number == sent.transaction()) {
                    known.groups.add(sent.group());
                }
            });
        } else if (event instanceof LogDumped dumped && dumped.kind() == DumpKind.FINAL) {
            dumps.put(dumped.dump(), dumped);
        } else if (event instanceof BatchDumped batch && dumps.containsKey(batch.dump())) {
            facts.forEach((one, known) -> visit(one, known, batch));
        }
    }

    /** A partition is open from the transaction's first batch until a marker of its producer. */
    private void visit(Begun one, Facts known, BatchDumped batch) {
        Map<String, Long> open = known.openFromByDump.computeIfAbsent(batch.dump(), any -> new HashMap<>());
        String partition = partitions.get(dumps.get(batch.dump()).partition());
        if (batch.type().isControl()) {
            if (batch.producerId() == known.producerId) {
                open.remove(partition);
            }
            return;
        }
        for (int i = 0; i < batch.records().size(); i++) {
            long value = batch.records().value(i);
            Integer transaction = ValueId.producer(value) == one.producer ? transactionOf.get(value) : null;
            if (transaction != null && transaction == one.number) {
                known.producerId = batch.producerId();
                open.putIfAbsent(partition, batch.baseOffset());
                return;
            }
        }
    }

    private Skipped skipped(SkippedMarker line, Begun one) {
        Facts known = facts.get(one);
        Map<String, Long> openFrom = new HashMap<>();
        for (Map<String, Long> ofDump : known.openFromByDump.values()) {
            ofDump.forEach((partition, offset) -> {
                if (line.partitions().contains(partition)) {
                    openFrom.merge(partition, offset, Math::max);
                }
            });
        }
        return new Skipped(
                line, one.producer, one.number, openFrom, Set.copyOf(known.groups), new Remaining(known.records));
    }
}
