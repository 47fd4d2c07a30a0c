// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.BrokerEvent.LogDumped;
import io.slipstream.history.ClientEvent.SendCompleted;
import io.slipstream.history.ClientEvent.SendInvoked;
import io.slipstream.history.Declaration.ProducerDeclared;
import io.slipstream.history.DumpKind;
import io.slipstream.history.Event;
import io.slipstream.history.History;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.RunEvent.FaultBegun;
import io.slipstream.history.RunEvent.FaultEnded;
import io.slipstream.history.ValueId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Records of idempotent producers that occur twice in a final log, by the fault that explains them. A killed broker
 * recovers only the last batch of each producer, so a producer sends under a new epoch again what was in flight. That
 * is a bound: a record was unanswered during the fault, and of a producer and partition at most {@link #MOST_BATCHES}
 * batches of each leader are twice. A producer sends new batches to the next leader while a paused leader has not
 * answered.
 */
public final class DuplicateTally {
    /** {@code max.in.flight.requests.per.connection} of an idempotent producer. */
    static final int MOST_BATCHES = 5;

    private static final int UNEXPLAINED = 0;
    private static final long NEVER = Long.MAX_VALUE;

    private final Set<Integer> idempotent = new HashSet<>();
    private final Map<Long, Sent> sent = new HashMap<>();
    private final List<Fault> faults = new ArrayList<>();
    /** One final dump of each partition. */
    private final Map<Integer, Integer> partitionOfDump = new HashMap<>();

    private final Map<Long, Batch> firstBatches = new HashMap<>();
    private final Map<Integer, Integer> recordsByFault = new TreeMap<>();
    private final Map<Place, Set<Batch>> batches = new HashMap<>();

    private DuplicateTally() {}

    private static final class Sent {
        final long atNs;
        long completedNs = NEVER;

        Sent(long atNs) {
            this.atNs = atNs;
        }
    }

    private static final class Fault {
        final int number;
        final long begunNs;
        long endedNs = NEVER;

        Fault(FaultBegun begun) {
            number = begun.fault() + 1;
            begunNs = begun.atNs();
        }

        boolean meets(Sent sent) {
            return sent.atNs <= endedNs && sent.completedNs >= begunNs;
        }
    }

    private record Batch(long baseOffset, int leaderEpoch) {}

    /** @param leaderEpoch of the first of the two batches */
    private record Place(int producer, int partition, int leaderEpoch, int fault) {}

    public static DuplicateTally of(History history) {
        DuplicateTally tally = new DuplicateTally();
        history.forEach(tally::visit);
        tally.sent.clear();
        tally.firstBatches.clear();
        return tally;
    }

    private void visit(Event event) {
        if (event instanceof ProducerDeclared producer && producer.kind() == ProducerKind.IDEMPOTENT) {
            idempotent.add(producer.producer());
        } else if (event instanceof SendInvoked invoked && idempotent.contains(invoked.producer())) {
            sent.put(ValueId.of(invoked.producer(), invoked.sequence()), new Sent(invoked.atNs()));
        } else if (event instanceof SendCompleted completed && idempotent.contains(completed.producer())) {
            sent.get(ValueId.of(completed.producer(), completed.sequence())).completedNs = completed.atNs();
        } else if (event instanceof FaultBegun begun) {
            faults.add(new Fault(begun));
        } else if (event instanceof FaultEnded ended) {
            faults.stream()
                    .filter(fault -> fault.number == ended.fault() + 1)
                    .forEach(fault -> fault.endedNs = ended.atNs());
        } else if (event instanceof LogDumped dumped && dumped.kind() == DumpKind.FINAL) {
            if (!partitionOfDump.containsValue(dumped.partition())) {
                partitionOfDump.put(dumped.dump(), dumped.partition());
            }
        } else if (event instanceof BatchDumped batch && partitionOfDump.containsKey(batch.dump())) {
            count(batch);
        }
    }

    private void count(BatchDumped batch) {
        Batch here = new Batch(batch.baseOffset(), batch.leaderEpoch());
        for (int i = 0; i < batch.records().size(); i++) {
            long value = batch.records().value(i);
            Sent one = sent.get(value);
            Batch first = one == null ? null : firstBatches.putIfAbsent(value, here);
            if (first != null) {
                int fault = faults.stream()
                        .filter(each -> each.meets(one))
                        .mapToInt(each -> each.number)
                        .findFirst()
                        .orElse(UNEXPLAINED);
                recordsByFault.merge(fault, 1, Integer::sum);
                batches.computeIfAbsent(
                                new Place(
                                        ValueId.producer(value),
                                        partitionOfDump.get(batch.dump()),
                                        first.leaderEpoch,
                                        fault),
                                any -> new HashSet<>())
                        .add(first);
            }
        }
    }

    /** By number of the fault from 1; 0 without an explaining fault. Contains only faults with duplicates. */
    public Map<Integer, Integer> recordsByFault() {
        return recordsByFault;
    }

    public int records() {
        return recordsByFault.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Returns what exceeds the bound. */
    public List<String> failures() {
        List<String> failures = new ArrayList<>();
        batches.forEach((place, twice) -> {
            String where = "producer " + place.producer + " in partition " + place.partition;
            if (place.fault == UNEXPLAINED) {
                failures.add("duplicates of idempotent " + where + " that no fault explains");
            } else if (twice.size() > MOST_BATCHES) {
                failures.add(twice.size() + " batches of idempotent " + where + " are twice after fault " + place.fault
                        + ", more than were in flight");
            }
        });
        return failures;
    }
}
