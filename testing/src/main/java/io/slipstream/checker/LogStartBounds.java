// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.ClientEvent.Assigned;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.Positioned;
import io.slipstream.history.Event;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * I24: a consumer is not given a record that was deleted before the consumer took its position. Bytes fetched earlier
 * may be delivered at any later time.
 */
final class LogStartBounds implements Check {
    private final Facts facts;
    private final Findings findings;
    private final Evidence evidence;
    private final Map<Long, Long> positionedNs = new HashMap<>();

    LogStartBounds(Facts facts, Findings findings) {
        this.facts = facts;
        this.findings = findings;
        evidence = new Evidence(facts);
    }

    @Override
    public Set<Class<? extends Event>> interests() {
        return Set.of(Polled.class, Positioned.class, Assigned.class);
    }

    @Override
    public void visit(Event event) {
        if (event instanceof Polled polled) {
            poll(polled);
        } else if (event instanceof Positioned positioned) {
            positionedNs.put(key(positioned.consumer(), positioned.partition()), positioned.atNs());
        } else if (event instanceof Assigned assigned) {
            for (int partition : assigned.partitions()) {
                positionedNs.put(key(assigned.consumer(), partition), assigned.atNs());
            }
        }
    }

    private static long key(int consumer, int partition) {
        return (long) consumer << 32 | partition;
    }

    private void poll(Polled polled) {
        PartitionFacts partition = facts.partition(polled.partition());
        Long since = positionedNs.get(key(polled.consumer(), polled.partition()));
        if (since == null || polled.records().size() == 0 || partition.isDeleted() || !partition.logStarts.moved()) {
            return;
        }
        long start = partition.logStarts.heldDuring(since, polled.atNs(), facts.faultsStoppedNs);
        if (start <= 0) {
            return;
        }
        findings.checked(Invariant.I24, 1);
        long offset = polled.records().offset(0);
        if (offset < start) {
            String who = facts.consumer(polled.consumer()).name();
            findings.add(
                    Invariant.I24,
                    "read-below-log-start",
                    partition.name,
                    who + " was given offset " + offset + ", but the log started at " + start
                            + " when the consumer took its position at " + evidence.at(since),
                    () -> List.of(
                            who + " polled at " + evidence.at(polled.atNs()) + ": " + polled.records(),
                            evidence.log(polled.partition(), offset)));
        }
    }
}
