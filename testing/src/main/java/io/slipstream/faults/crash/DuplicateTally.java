// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.BrokerEvent.LogDumped;
import io.slipstream.history.ClientEvent.SendInvoked;
import io.slipstream.history.Declaration.ProducerDeclared;
import io.slipstream.history.DumpKind;
import io.slipstream.history.Event;
import io.slipstream.history.History;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.RecordRun;
import io.slipstream.history.RunEvent.FaultBegun;
import io.slipstream.history.ValueId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Counts records of idempotent producers that occur twice in a final log, by the first kill after their send. */
final class DuplicateTally {
    private final Set<Integer> idempotent = new HashSet<>();
    private final Map<Long, Long> sentNs = new HashMap<>();
    private final TreeMap<Long, Integer> kills = new TreeMap<>();
    private final Set<Integer> finalDumps = new HashSet<>();
    private final Set<Long> seen = new HashSet<>();
    private final Map<Integer, Integer> recordsByKill = new TreeMap<>();

    private DuplicateTally() {}

    static DuplicateTally of(History history) {
        DuplicateTally tally = new DuplicateTally();
        history.forEach(tally::visit);
        tally.sentNs.clear();
        tally.seen.clear();
        return tally;
    }

    private void visit(Event event) {
        if (event instanceof ProducerDeclared producer && producer.kind() == ProducerKind.IDEMPOTENT) {
            idempotent.add(producer.producer());
        } else if (event instanceof SendInvoked sent && idempotent.contains(sent.producer())) {
            sentNs.put(ValueId.of(sent.producer(), sent.sequence()), sent.atNs());
        } else if (event instanceof FaultBegun begun) {
            kills.put(begun.atNs(), begun.fault() + 1);
        } else if (event instanceof LogDumped dumped && dumped.kind() == DumpKind.FINAL) {
            finalDumps.add(dumped.dump());
        } else if (event instanceof BatchDumped batch && finalDumps.contains(batch.dump())) {
            count(batch.records());
        }
    }

    private void count(RecordRun records) {
        for (int i = 0; i < records.size(); i++) {
            long value = records.value(i);
            Long at = sentNs.get(value);
            if (at != null && !seen.add(value)) {
                Map.Entry<Long, Integer> kill = kills.higherEntry(at);
                recordsByKill.merge(kill == null ? 0 : kill.getValue(), 1, Integer::sum);
            }
        }
    }

    /** By kill number; 0 without an explaining kill. Contains only kills with duplicates. */
    Map<Integer, Integer> recordsByKill() {
        return recordsByKill;
    }

    int records() {
        return recordsByKill.values().stream().mapToInt(Integer::intValue).sum();
    }
}
