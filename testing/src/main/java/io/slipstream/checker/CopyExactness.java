// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.BrokerEvent.GroupOffsetFound;
import io.slipstream.history.Declaration.CopyDeclared;
import io.slipstream.history.Event;
import io.slipstream.history.ValueId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * I16: transactional copies from one partition to another equal the input: no duplicate, no gap before a later record
 * or the group's final offset, same order.
 */
final class CopyExactness implements Check {
    private final Facts facts;
    private final Findings findings;
    private final Evidence evidence;
    private final List<CopyDeclared> copies = new ArrayList<>();
    private final Map<String, Long> committed = new HashMap<>();
    /** Created when the first copy is missing. */
    private Set<Long> perhapsCopied;

    CopyExactness(Facts facts, Findings findings) {
        this.facts = facts;
        this.findings = findings;
        evidence = new Evidence(facts);
    }

    @Override
    public Set<Class<? extends Event>> interests() {
        return Set.of(CopyDeclared.class, GroupOffsetFound.class);
    }

    @Override
    public void visit(Event event) {
        if (event instanceof CopyDeclared copy) {
            copies.add(copy);
        } else if (event instanceof GroupOffsetFound found) {
            committed.put(found.group() + "/" + found.partition(), found.offset());
        }
    }

    @Override
    public void conclude() {
        for (CopyDeclared copy : copies) {
            if (!facts.partition(copy.input()).isDeleted()
                    && !facts.partition(copy.output()).isDeleted()) {
                judge(copy);
            }
        }
    }

    private void judge(CopyDeclared copy) {
        SparseOffsets outputs = facts.partition(copy.output()).versions;
        Set<Long> copied = new HashSet<>();
        long[] lastInput = {-1};
        outputs.forEach(0, outputs.end(), (offset, value) -> {
            if (!facts.mustBeVisible(value, true)) {
                return;
            }
            long source = facts.senderOf(value).source(ValueId.sequence(value));
            SendColumns sourceSends = facts.senderOf(source);
            if (sourceSends == null || sourceSends.partition(ValueId.sequence(source)) != copy.input()) {
                return;
            }
            findings.checked(Invariant.I16, 1);
            long input = inputOffset(sourceSends, ValueId.sequence(source));
            boolean repeatedInput = sourceSends.has(ValueId.sequence(source), SendColumns.DUPLICATED);
            if (repeatedInput) {
                copied.add(source); // once per occurrence in the input
                return;
            } else if (!copied.add(source)) {
                report(
                        "duplicate-copy",
                        copy,
                        offset,
                        ValueId.text(source) + " was copied once more to offset " + offset,
                        source,
                        value);
            } else if (input < lastInput[0]) {
                report(
                        "reordered-copy",
                        copy,
                        offset,
                        "the copy of offset " + input + " is behind that of " + lastInput[0],
                        source,
                        value);
            }
            lastInput[0] = Math.max(lastInput[0], input);
        });
        seekMissing(
                copy, copied, Math.max(lastInput[0], committed.getOrDefault(copy.group() + "/" + copy.input(), 0L)));
    }

    private static long inputOffset(SendColumns sends, int sequence) {
        return sends.seenOffset(sequence) >= 0 ? sends.seenOffset(sequence) : sends.ackedOffset(sequence);
    }

    private void seekMissing(CopyDeclared copy, Set<Long> copied, long end) {
        facts.partition(copy.input()).versions.forEach(0, end, (offset, value) -> {
            boolean copyable =
                    facts.mustBeVisible(value, true) && facts.senderOf(value).isOk(ValueId.sequence(value));
            if (copyable && !copied.contains(value) && !mayBeCopied(value)) {
                report(
                        "missing-copy",
                        copy,
                        offset,
                        ValueId.text(value) + " at offset " + offset + " was not copied",
                        value);
            }
        });
    }

    /** Returns whether a transaction with an unknown outcome may have copied the record. */
    private boolean mayBeCopied(long source) {
        if (perhapsCopied == null) {
            perhapsCopied = perhapsCopied();
        }
        return perhapsCopied.contains(source);
    }

    private Set<Long> perhapsCopied() {
        Set<Long> sources = new HashSet<>();
        for (SendColumns sends : facts.producers) {
            for (int sequence = 0; sequence < sends.end(); sequence++) {
                Transactions.One transaction = facts.transactionOf(sends, sequence);
                if (transaction != null && transaction.state == TransactionState.UNKNOWN) {
                    sources.add(sends.source(sequence));
                }
            }
        }
        return sources;
    }

    private void report(String name, CopyDeclared copy, long offset, String what, long... values) {
        String where = facts.partition(copy.input()).name + " to " + facts.partition(copy.output()).name;
        // Of a copy that is there, the copier's transaction; of one that is missing, the input's value.
        findings.add(Invariant.I16, name, where, facts, values[values.length - 1], what, () -> {
            List<String> lines = evidence.sends(values);
            lines.add(evidence.log(name.equals("missing-copy") ? copy.input() : copy.output(), offset));
            return lines;
        });
    }
}
