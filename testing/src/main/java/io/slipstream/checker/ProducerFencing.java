// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.DumpKind;
import io.slipstream.history.Event;
import io.slipstream.history.RecordRun;
import io.slipstream.history.ValueId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * I15: in every log the epochs of a producer id do not decrease and its sequences have no gap. Records that a fenced
 * incarnation of a transactional id sent after its successor was ready are in no log.
 */
final class ProducerFencing implements Check {
    private final Facts facts;
    private final Findings findings;
    private final Evidence evidence;
    private final Map<Long, BatchDumped> last = new HashMap<>();
    private int dump = -1;

    ProducerFencing(Facts facts, Findings findings) {
        this.facts = facts;
        this.findings = findings;
        evidence = new Evidence(facts);
    }

    @Override
    public Set<Class<? extends Event>> interests() {
        return Set.of(BatchDumped.class);
    }

    @Override
    public void visit(Event event) {
        BatchDumped batch = (BatchDumped) event;
        if (batch.dump() != dump) {
            dump = batch.dump(); // dumps follow one another
            last.clear();
        }
        if (batch.producerId() < 0 || facts.dumps.get(dump).header.kind() != DumpKind.FINAL) {
            return;
        }
        findings.checked(Invariant.I15, 1);
        BatchDumped before = batch.type().isControl()
                ? last.get(batch.producerId())
                : last.put(batch.producerId(), batch.withRecords(RecordRun.EMPTY));
        if (before == null) {
            if (!batch.type().isControl()
                    && facts.dumps.get(dump).header.logStart() == 0
                    && batch.baseSequence() != 0) {
                report("sequence-gap", batch, "its first sequence is " + batch.baseSequence(), null);
            }
            return;
        }
        if (batch.producerEpoch() < before.producerEpoch()) {
            report(
                    "zombie-append",
                    batch,
                    "it has epoch " + batch.producerEpoch() + " behind epoch " + before.producerEpoch(),
                    before);
        } else if (!batch.type().isControl()) {
            int expected = batch.producerEpoch() > before.producerEpoch() ? 0 : nextSequence(before);
            if (batch.baseSequence() != expected) {
                report("sequence-gap", batch, "its sequence is " + batch.baseSequence() + ", not " + expected, before);
            }
        }
    }

    /** Sequences wrap from 2^31 - 1 to 0. */
    private static int nextSequence(BatchDumped batch) {
        return (int) (batch.baseSequence() + (batch.lastOffset() - batch.baseOffset()) + 1 & Integer.MAX_VALUE);
    }

    private void report(String name, BatchDumped batch, String what, BatchDumped before) {
        ReplicaLog log = facts.dumps.get(batch.dump());
        findings.add(
                Invariant.I15,
                name,
                facts.partition(log.header.partition()).name,
                "the batch at " + batch.baseOffset() + " of producer id " + batch.producerId() + ": " + what,
                () -> before == null ? List.of(batch.toString()) : List.of(before.toString(), batch.toString()));
    }

    @Override
    public void conclude() {
        for (SendColumns sends : facts.producers) {
            long fencedNs = fencedNs(sends);
            for (int sequence = 0; fencedNs != SendColumns.NEVER && sequence < sends.end(); sequence++) {
                boolean late = sends.isInvoked(sequence) && sends.invokedNs(sequence) > fencedNs;
                if (late && (sends.seenOffset(sequence) >= 0 || sends.isOk(sequence))) {
                    long value = ValueId.of(sends.producer, sequence);
                    findings.add(
                            Invariant.I15,
                            "zombie-append",
                            facts.partition(sends.partition(sequence)).name,
                            ValueId.text(value) + " was sent after its producer's successor was ready at "
                                    + evidence.at(fencedNs) + ", and was appended",
                            () -> evidence.sends(value));
                }
            }
        }
    }

    /** Returns the time at which a later incarnation of the same transactional id was ready. */
    private long fencedNs(SendColumns sends) {
        long fencedNs = SendColumns.NEVER;
        if (!sends.transactionalId.isEmpty()) {
            for (int later = sends.producer + 1; later < facts.producers.size(); later++) {
                if (facts.producers.get(later).transactionalId.equals(sends.transactionalId)) {
                    fencedNs = Math.min(fencedNs, facts.initializedNs.getOrDefault(later, SendColumns.NEVER));
                }
            }
        }
        return fencedNs;
    }
}
