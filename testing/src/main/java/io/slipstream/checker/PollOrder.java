// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.ClientEvent.Assigned;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.Positioned;
import io.slipstream.history.ClientEvent.Revoked;
import io.slipstream.history.Event;
import io.slipstream.history.RecordRun;
import io.slipstream.history.ValueId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * I6: while a consumer owns a partition, it receives every visible record once and in order, within a poll ({@code
 * int-}) and across polls.
 */
final class PollOrder implements Check {
    private static final long UNKNOWN = -1;

    private final Facts facts;
    private final Findings findings;
    private final Evidence evidence;
    /** The expected next offset, by consumer and partition. */
    private final Map<Long, Long> next = new HashMap<>();

    PollOrder(Facts facts, Findings findings) {
        this.facts = facts;
        this.findings = findings;
        evidence = new Evidence(facts);
    }

    @Override
    public Set<Class<? extends Event>> interests() {
        return Set.of(Assigned.class, Revoked.class, Positioned.class, Polled.class);
    }

    @Override
    public void visit(Event event) {
        if (event instanceof Polled polled) {
            poll(polled);
        } else if (event instanceof Positioned positioned) {
            next.put(key(positioned.consumer(), positioned.partition()), positioned.position());
        } else if (event instanceof Assigned assigned) {
            forget(assigned.consumer(), assigned.partitions());
        } else if (event instanceof Revoked revoked) {
            forget(revoked.consumer(), revoked.partitions());
        }
    }

    private void forget(int consumer, int[] partitions) {
        for (int partition : partitions) {
            next.remove(key(consumer, partition));
        }
    }

    private static long key(int consumer, int partition) {
        return (long) consumer << 32 | partition;
    }

    private void poll(Polled polled) {
        RecordRun records = polled.records();
        if (records.size() == 0) {
            return;
        }
        long expected = next.getOrDefault(key(polled.consumer(), polled.partition()), UNKNOWN);
        for (int i = 0; i < records.size(); i++) {
            long offset = records.offset(i);
            if (expected != UNKNOWN && offset < expected) {
                String name = i == 0 ? "nonmonotonic-poll" : "int-nonmonotonic-poll";
                report(
                        polled,
                        name,
                        offset,
                        "returned offset " + offset + " where " + expected + " was next",
                        records.value(i));
            } else if (expected != UNKNOWN && offset > expected) {
                seekSkipped(polled, expected, offset, i == 0);
            }
            expected = offset + 1;
        }
        next.put(key(polled.consumer(), polled.partition()), expected);
        findings.checked(Invariant.I6, records.size());
    }

    /** A gap is legal if it contains no record that must be visible. */
    private void seekSkipped(Polled polled, long from, long to, boolean betweenPolls) {
        PartitionFacts partition = facts.partition(polled.partition());
        ConsumerFacts consumer = facts.consumer(polled.consumer());
        if (partition.isDeleted()) {
            return;
        }
        List<Long> skipped = new ArrayList<>();
        partition.versions.forEach(from, to, (offset, value) -> {
            boolean excused = partition.mayBeGone(offset, polled.atNs());
            if (skipped.isEmpty() && !excused && facts.mustBeVisible(value, consumer.readCommitted())) {
                skipped.add(offset);
            }
        });
        if (!skipped.isEmpty()) {
            long offset = skipped.get(0);
            report(
                    polled,
                    betweenPolls ? "poll-skip" : "int-poll-skip",
                    offset,
                    "went from offset " + from + " to " + to + " and skipped " + offset,
                    partition.versions.get(offset));
        }
    }

    private void report(Polled polled, String name, long offset, String what, long value) {
        int partition = polled.partition();
        String who = facts.consumer(polled.consumer()).name();
        String where = facts.partition(partition).name;
        findings.add(Invariant.I6, name, where, facts, value, who + " " + what, () -> {
            List<String> lines = new ArrayList<>();
            lines.add(who + " polled at " + evidence.at(polled.atNs()) + ": " + polled.records());
            if (value != ValueId.NONE) {
                lines.add(evidence.send(value));
            }
            lines.add(evidence.log(partition, offset));
            return lines;
        });
    }
}
