// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.BrokerEvent.GroupOffsetFound;
import io.slipstream.history.ClientEvent.Assigned;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.Positioned;
import io.slipstream.history.ConsumerKind;
import io.slipstream.history.Event;
import io.slipstream.history.ValueId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * I12: a group's offset is its last commit, at the end and where a member starts after a rebalance. Every acknowledged
 * record below it was delivered to the group. Of overlapping commits, and of those with an unknown outcome, each may be
 * the last.
 */
final class GroupOffsets implements Check {
    private final Facts facts;
    private final Findings findings;
    private final Evidence evidence;
    /** Delivered offsets, by group and partition. */
    private final Map<String, Map<Integer, BitSet>> delivered = new HashMap<>();
    /** Assignments that have no first position yet, by consumer and partition. */
    private final Map<Long, Assigned> fresh = new HashMap<>();

    private final Map<String, Map<Integer, Long>> found = new HashMap<>();
    /** Start positions of groups without a committed offset, given by auto.offset.reset. */
    private final Map<String, Map<Integer, Long>> began = new HashMap<>();

    GroupOffsets(Facts facts, Findings findings) {
        this.facts = facts;
        this.findings = findings;
        evidence = new Evidence(facts);
    }

    @Override
    public Set<Class<? extends Event>> interests() {
        return Set.of(Polled.class, GroupOffsetFound.class, Assigned.class, Positioned.class);
    }

    @Override
    public void visit(Event event) {
        if (event instanceof Polled polled) {
            deliver(polled);
        } else if (event instanceof Assigned assigned && isMember(assigned.consumer())) {
            for (int partition : assigned.partitions()) {
                fresh.put((long) assigned.consumer() << 32 | partition, assigned);
            }
        } else if (event instanceof Positioned positioned) {
            Assigned assigned = fresh.remove((long) positioned.consumer() << 32 | positioned.partition());
            if (assigned != null) {
                begin(positioned, assigned);
            }
        } else if (event instanceof GroupOffsetFound offset) {
            found.computeIfAbsent(offset.group(), any -> new HashMap<>()).put(offset.partition(), offset.offset());
            compare(offset);
        }
    }

    private boolean isMember(int consumer) {
        return facts.consumer(consumer).kind() == ConsumerKind.GROUP;
    }

    private void deliver(Polled polled) {
        String group = facts.consumer(polled.consumer()).group();
        if (group.isEmpty()) {
            return;
        }
        BitSet offsets = delivered
                .computeIfAbsent(group, any -> new HashMap<>())
                .computeIfAbsent(polled.partition(), any -> new BitSet());
        for (int i = 0; i < polled.records().size(); i++) {
            long offset = polled.records().offset(i);
            if (offset >= 0 && offset < Integer.MAX_VALUE) {
                offsets.set((int) offset);
            }
        }
    }

    private List<GroupCommit> commits(String group, int partition) {
        return facts.commits.getOrDefault(group, Map.of()).getOrDefault(partition, List.of());
    }

    /**
     * Returns the possible offsets of the group between {@code fromNs} and {@code toNs}; empty if it possibly had none.
     */
    private Set<Long> candidates(List<GroupCommit> commits, long fromNs, long toNs) {
        long latestCertainInvokedNs = Long.MIN_VALUE;
        for (GroupCommit commit : commits) {
            if (commit.certain() && commit.atNs() < fromNs) {
                latestCertainInvokedNs = Math.max(latestCertainInvokedNs, commit.invokedNs());
            }
        }
        Set<Long> offsets = new HashSet<>();
        for (GroupCommit commit : commits) {
            boolean overwritten = commit.certain() && commit.atNs() < latestCertainInvokedNs;
            if (commit.invokedNs() <= toNs && !overwritten) {
                offsets.add(commit.offset());
            }
        }
        return latestCertainInvokedNs == Long.MIN_VALUE ? Set.of() : offsets;
    }

    private void begin(Positioned positioned, Assigned assigned) {
        String group = facts.consumer(positioned.consumer()).group();
        Set<Long> candidates = candidates(commits(group, positioned.partition()), assigned.atNs(), positioned.atNs());
        findings.checked(Invariant.I12, 1);
        if (candidates.isEmpty()) {
            began.computeIfAbsent(group, any -> new HashMap<>())
                    .merge(positioned.partition(), positioned.position(), Math::min);
        } else if (!candidates.contains(positioned.position())
                && !mayBeGone(positioned.partition(), candidates, positioned.atNs())) {
            report(
                    group,
                    positioned.partition(),
                    "nonmonotonic-commit",
                    "a member begins at " + positioned.position() + " at " + evidence.at(positioned.atNs())
                            + ", committed was " + candidates);
        }
    }

    private boolean mayBeGone(int partition, Set<Long> candidates, long atNs) {
        return candidates.stream().anyMatch(offset -> facts.partition(partition).mayBeGone(offset, atNs));
    }

    private void compare(GroupOffsetFound offset) {
        Set<Long> candidates = candidates(commits(offset.group(), offset.partition()), Long.MAX_VALUE, Long.MAX_VALUE);
        findings.checked(Invariant.I12, 1);
        if (!candidates.isEmpty() && !candidates.contains(offset.offset())) {
            report(
                    offset.group(),
                    offset.partition(),
                    "lost-commit",
                    "the final offset is " + offset.offset() + ", committed last was " + candidates);
        }
    }

    @Override
    public void conclude() {
        for (Map.Entry<String, Map<Integer, List<GroupCommit>>> group : facts.commits.entrySet()) {
            for (Map.Entry<Integer, List<GroupCommit>> partition :
                    group.getValue().entrySet()) {
                seekUndelivered(group.getKey(), partition.getKey(), partition.getValue());
            }
        }
    }

    private void seekUndelivered(String group, int partition, List<GroupCommit> commits) {
        long committed = 0;
        for (GroupCommit commit : commits) {
            committed = commit.certain() ? Math.max(committed, commit.offset()) : committed;
        }
        Long end = found.getOrDefault(group, Map.of()).get(partition);
        if (end != null) {
            committed = Math.min(committed, end);
        }
        PartitionFacts facts = this.facts.partition(partition);
        Map<Integer, BitSet> ofGroup = delivered.get(group);
        if (facts.isDeleted() || ofGroup == null) {
            return; // the history has only the group's commits
        }
        BitSet offsets = ofGroup.getOrDefault(partition, new BitSet());
        List<Long> missing = new ArrayList<>();
        facts.versions.forEach(
                began.getOrDefault(group, Map.of()).getOrDefault(partition, 0L), committed, (offset, value) -> {
                    boolean excused = offset >= Integer.MAX_VALUE || facts.mayBeGone(offset, this.facts.lastNs);
                    if (missing.isEmpty()
                            && !offsets.get((int) offset)
                            && !excused
                            && this.facts.mustBeVisible(value, true)
                            && isOk(value)) {
                        missing.add(value);
                    }
                });
        if (!missing.isEmpty()) {
            report(
                    group,
                    partition,
                    "undelivered",
                    ValueId.text(missing.get(0)) + " lies below the committed offset " + committed
                            + " and reached no member",
                    missing.get(0));
        }
    }

    private boolean isOk(long value) {
        return facts.senderOf(value).isOk(ValueId.sequence(value));
    }

    private void report(String group, int partition, String name, String what, long... values) {
        findings.add(Invariant.I12, name, "group " + group + ", " + facts.partition(partition).name, what, () -> {
            List<String> lines = evidence.sends(values);
            List<GroupCommit> commits = commits(group, partition);
            for (GroupCommit commit : commits.subList(Math.max(0, commits.size() - 3), commits.size())) {
                lines.add("committed " + commit.offset() + (commit.certain() ? "" : " perhaps") + " from "
                        + evidence.at(commit.invokedNs()) + " to " + evidence.at(commit.atNs()));
            }
            return lines;
        });
    }
}
