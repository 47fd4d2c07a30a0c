// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.DumpKind;
import io.slipstream.history.Event;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * I10: in final logs every batch is valid, and there is no gap between batches. I23: those of in-sync replicas have
 * identical batches up to the high watermark.
 */
final class ReplicaEquality implements Check {
    private final Facts facts;
    private final Findings findings;
    /** Progress of each dump: the offset of its next batch, and the batch of the reference to compare with. */
    private final Map<Integer, Progress> progress = new HashMap<>();

    private static final class Progress {
        long next;
        int reference = -1;
        boolean diverged;
    }

    ReplicaEquality(Facts facts, Findings findings) {
        this.facts = facts;
        this.findings = findings;
    }

    @Override
    public Set<Class<? extends Event>> interests() {
        return Set.of(BatchDumped.class);
    }

    @Override
    public void visit(Event event) {
        BatchDumped batch = (BatchDumped) event;
        ReplicaLog log = facts.dumps.get(batch.dump());
        if (log.header.kind() != DumpKind.FINAL) {
            return;
        }
        findings.checked(Invariant.I10, 1);
        boolean first = !progress.containsKey(batch.dump());
        Progress state = progress.computeIfAbsent(batch.dump(), any -> new Progress());
        if (!batch.crcValid()) {
            report(
                    Invariant.I10,
                    "invalid-batch",
                    log,
                    "the batch at " + batch.baseOffset() + " has a wrong check sum or size",
                    batch);
        }
        if (!first && batch.baseOffset() != state.next) {
            report(
                    Invariant.I10,
                    "hole-in-log",
                    log,
                    "after offset " + (state.next - 1) + " comes " + batch.baseOffset(),
                    batch);
        } else if (first && batch.baseOffset() > log.header.logStart() && !mayBeginAt(batch.baseOffset(), log)) {
            report(
                    Invariant.I10,
                    "hole-in-log",
                    log,
                    "it starts at " + log.header.logStart() + ", but its first batch is at " + batch.baseOffset(),
                    batch);
        }
        state.next = batch.lastOffset() + 1;
        if (log.bit > 1 && !state.diverged) {
            findings.checked(Invariant.I23, 1);
            compare(batch, log, state);
        }
    }

    /** The known log start is the leader's; retention on a follower may have deleted one more segment. */
    private boolean mayBeginAt(long offset, ReplicaLog log) {
        return facts.partition(log.header.partition()).mayBeGone(offset - 1, facts.lastNs);
    }

    private void compare(BatchDumped batch, ReplicaLog log, Progress state) {
        ReplicaLog reference = facts.partition(log.header.partition()).reference();
        long bound = Math.min(reference.header.highWatermark(), log.header.highWatermark());
        if (bound >= 0 && batch.lastOffset() >= bound || batch.lastOffset() < reference.begin()) {
            return;
        }
        state.reference =
                state.reference < 0 ? Math.max(0, reference.batchOf(batch.baseOffset())) : state.reference + 1;
        int other = state.reference;
        boolean equal = other < reference.size()
                && reference.base(other) == batch.baseOffset()
                && reference.hash(other) == batch.hash();
        if (!equal) {
            state.diverged = true;
            String there = other < reference.size()
                    ? "has batch " + reference.base(other) + " with other bytes"
                    : "ends before";
            report(
                    Invariant.I23,
                    "divergent-replicas",
                    log,
                    "node " + reference.header.node() + " " + there + " at " + batch.baseOffset(),
                    batch);
        }
    }

    @Override
    public void conclude() {
        for (int dump = 0; dump < facts.dumps.size(); dump++) {
            ReplicaLog log = facts.dumps.get(dump);
            Progress state = progress.get(dump);
            boolean empty = log.header.logStart() == log.header.logEnd();
            long end = state == null ? log.header.logStart() : state.next;
            if (log.header.kind() == DumpKind.FINAL && end != log.header.logEnd() && !(empty && state == null)) {
                findings.add(
                        Invariant.I10,
                        "hole-in-log",
                        where(log),
                        "its batches end at " + end + ", the log at " + log.header.logEnd());
            } else if (log.bit > 1 && log.header.highWatermark() >= 0 && end < log.header.highWatermark()) {
                findings.add(
                        Invariant.I23,
                        "divergent-replicas",
                        where(log),
                        "it ends at " + end + ", below the high watermark " + log.header.highWatermark());
            }
        }
    }

    private String where(ReplicaLog log) {
        return facts.partition(log.header.partition()).name + " of node " + log.header.node();
    }

    private void report(Invariant invariant, String name, ReplicaLog log, String what, BatchDumped batch) {
        findings.add(invariant, name, where(log), what, () -> List.of(batch.toString()));
    }
}
