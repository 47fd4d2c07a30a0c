// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.WatermarksObserved;
import io.slipstream.history.Event;
import io.slipstream.history.RecordRun;
import io.slipstream.history.ValueId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * I8: no record is returned above the high watermark, nor above the last stable offset to a read_committed reader. A
 * watermark requested after a read returned must be above the records of that read. Watermarks seen by one client do
 * not decrease within a leader epoch.
 */
final class WatermarkBounds implements Check {
    private static final int ANY_EPOCH = Integer.MIN_VALUE;

    private final Facts facts;
    private final Findings findings;
    private final Evidence evidence;
    private final Map<Readers, ReadMarks> reads = new HashMap<>();
    private final Map<String, WatermarksObserved> observed = new HashMap<>();
    private final Map<Term, Long> lastSentNs = new HashMap<>();
    private final List<Low> ofFormerLeaders = new ArrayList<>();

    /** A leader of a partition. */
    private record Term(int partition, int leaderEpoch) {}

    /**
     * A watermark at or below records that were read before.
     *
     * @param read the highest of these
     * @param sinceNs when the first of these of the leader's own epoch had been read
     */
    private record Low(WatermarksObserved answer, String name, long limit, long read, long sinceNs) {}

    /**
     * Reads of one partition.
     *
     * @param committed whether those of read_committed readers alone count
     * @param leaderEpoch epoch of the last record of a poll
     */
    private record Readers(int partition, boolean committed, int leaderEpoch) {}

    WatermarkBounds(Facts facts, Findings findings) {
        this.facts = facts;
        this.findings = findings;
        evidence = new Evidence(facts);
    }

    @Override
    public Set<Class<? extends Event>> interests() {
        return Set.of(WatermarksObserved.class, Polled.class);
    }

    @Override
    public void visit(Event event) {
        if (event instanceof Polled polled) {
            poll(polled);
        } else if (event instanceof WatermarksObserved now) {
            observe(now);
        }
    }

    private void poll(Polled polled) {
        RecordRun records = polled.records();
        if (records.size() == 0 || facts.partition(polled.partition()).isDeleted()) {
            return;
        }
        long last = records.offset(records.size() - 1);
        int epoch = records.leaderEpoch(records.size() - 1);
        noteSent(polled);
        add(polled, false, epoch, last);
        if (facts.consumer(polled.consumer()).readCommitted()) {
            add(polled, true, epoch, last);
        }
    }

    /** Notes until when the leader of each record was in office at least. The last leader is not of interest. */
    private void noteSent(Polled polled) {
        RecordRun records = polled.records();
        for (int i = 0; i < records.size(); i++) {
            int epoch = records.leaderEpoch(i);
            SendColumns sends = facts.senderOf(records.value(i));
            if (sends != null && facts.partition(polled.partition()).isDeposed(epoch)) {
                long invokedNs = sends.invokedNs(ValueId.sequence(records.value(i)));
                lastSentNs.merge(new Term(polled.partition(), epoch), invokedNs, Math::max);
            }
        }
    }

    private void add(Polled polled, boolean committed, int epoch, long last) {
        for (int key : new int[] {epoch, ANY_EPOCH}) {
            reads.computeIfAbsent(new Readers(polled.partition(), committed, key), any -> new ReadMarks())
                    .add(polled.atNs(), last);
        }
    }

    private void observe(WatermarksObserved now) {
        PartitionFacts partition = facts.partition(now.partition());
        if (partition.isDeleted()) {
            return;
        }
        WatermarksObserved before = observed.put(now.observer() + "/" + now.partition(), now);
        boolean comparable = before != null
                && now.leaderEpoch() >= 0
                && before.leaderEpoch() == now.leaderEpoch()
                && before.atNs() <= now.invokedNs();
        if (comparable
                && (isBack(before.highWatermark(), now.highWatermark())
                        || isBack(before.lastStableOffset(), now.lastStableOffset())
                        || isBack(before.logStart(), now.logStart()))) {
            findings.add(
                    Invariant.I8,
                    "nonmonotonic-watermark",
                    partition.name,
                    now.observer() + " saw a watermark go back",
                    () -> List.of(before.toString(), now.toString()));
        }
        bound(now, false, now.highWatermark(), "high-watermark");
        bound(now, true, now.lastStableOffset(), "last-stable-offset");
    }

    private static boolean isBack(long before, long now) {
        return now >= 0 && now < before;
    }

    private void bound(WatermarksObserved now, boolean committed, long limit, String name) {
        long read = highest(now, committed, ANY_EPOCH);
        if (limit < 0 || read < 0) {
            return;
        }
        findings.checked(Invariant.I8, 1);
        if (read < limit) {
            return;
        }
        PartitionFacts partition = facts.partition(now.partition());
        if (partition.isReplicated() && highest(now, committed, now.leaderEpoch()) < limit) {
            // A follower learns watermarks later than consumers and starts with the one it knows (seed 1844587924, a
            // stock broker).
            findings.tolerate("I8 watermark-of-a-new-leader");
        } else if (partition.isReplicated() && partition.isDeposed(now.leaderEpoch())) {
            long since = marks(now, committed, now.leaderEpoch()).reachedNs(limit);
            ofFormerLeaders.add(new Low(now, name, limit, read, since));
        } else {
            report(now, name, limit, read);
        }
    }

    /**
     * A paused former leader answers with its old watermark before it learns of its successor, and others may have read
     * from the successor before. This is excused unless the leader was still in office after such a read: a record that
     * was sent later and read by a consumer has its epoch.
     */
    @Override
    public void conclude() {
        for (Low low : ofFormerLeaders) {
            Term term = new Term(low.answer.partition(), low.answer.leaderEpoch());
            if (lastSentNs.getOrDefault(term, Long.MIN_VALUE) < low.sinceNs) {
                findings.tolerate("I8 watermark-of-a-former-leader");
            } else {
                report(low.answer, low.name, low.limit, low.read);
            }
        }
    }

    private void report(WatermarksObserved now, String name, long limit, long read) {
        findings.add(
                Invariant.I8,
                "read-above-" + name,
                facts.partition(now.partition()).name,
                "offset " + read + " was returned before the " + name.replace('-', ' ') + " was " + limit,
                () -> List.of(now.toString(), evidence.log(now.partition(), read)));
    }

    private long highest(WatermarksObserved now, boolean committed, int leaderEpoch) {
        ReadMarks marks = marks(now, committed, leaderEpoch);
        return marks == null ? -1 : marks.highestBefore(now.invokedNs());
    }

    private ReadMarks marks(WatermarksObserved now, boolean committed, int leaderEpoch) {
        return reads.get(new Readers(now.partition(), committed, leaderEpoch));
    }
}
