// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.BrokerEvent.WatermarksPublished;
import io.slipstream.history.ClientEvent.Assigned;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.Positioned;
import io.slipstream.history.ClientEvent.WatermarksObserved;
import io.slipstream.history.Event;
import io.slipstream.history.RecordRun;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * I8: no record is returned above the high watermark, above the last stable offset (read_committed), or below the log
 * start. Watermarks seen by one client do not decrease within a leader epoch. If the history traces leaders'
 * publications, reads are compared with them. Otherwise they are compared with later observations by clients: a
 * watermark requested after a read returned must be above the records of that read.
 */
final class WatermarkBounds implements Check {
    private final Facts facts;
    private final Findings findings;
    private final Evidence evidence;
    private final Map<Integer, long[]> published = new HashMap<>();
    private final Map<Integer, ReadMarks> reads = new HashMap<>();
    /** By partition and leader epoch of the last record. */
    private final Map<Long, ReadMarks> readsOfEpochs = new HashMap<>();

    private final Map<String, WatermarksObserved> observed = new HashMap<>();
    private final Map<Integer, Integer> highestEpochs = new HashMap<>();
    private final Map<Long, Long> positionedNs = new HashMap<>();

    WatermarkBounds(Facts facts, Findings findings) {
        this.facts = facts;
        this.findings = findings;
        evidence = new Evidence(facts);
    }

    @Override
    public Set<Class<? extends Event>> interests() {
        return Set.of(
                WatermarksPublished.class, WatermarksObserved.class, Polled.class, Positioned.class, Assigned.class);
    }

    @Override
    public void visit(Event event) {
        if (event instanceof Polled polled) {
            poll(polled);
        } else if (event instanceof WatermarksPublished now) {
            long[] marks = published.computeIfAbsent(now.partition(), any -> new long[2]);
            marks[0] = Math.max(marks[0], now.highWatermark());
            marks[1] = Math.max(marks[1], now.lastStableOffset());
        } else if (event instanceof WatermarksObserved now) {
            observe(now);
        } else if (event instanceof Positioned positioned) {
            positionedNs.put(key(positioned.consumer(), positioned.partition()), positioned.atNs());
        } else if (event instanceof Assigned assigned) {
            for (int partition : assigned.partitions()) {
                positionedNs.put(key(assigned.consumer(), partition), assigned.atNs());
            }
        }
    }

    private static long key(int one, int other) {
        return (long) one << 32 | other & 0xffff_ffffL;
    }

    private void poll(Polled polled) {
        RecordRun records = polled.records();
        PartitionFacts partition = facts.partition(polled.partition());
        if (records.size() == 0 || partition.isLawless()) {
            return;
        }
        ConsumerFacts consumer = facts.consumer(polled.consumer());
        long last = records.offset(records.size() - 1);
        if (partition.watermarksTraced) {
            long[] marks = published.getOrDefault(polled.partition(), new long[2]);
            if (last >= marks[0]) {
                report(
                        "read-above-high-watermark",
                        polled,
                        last,
                        "the highest that a leader had published was " + marks[0]);
            } else if (consumer.readCommitted() && last >= marks[1]) {
                report(
                        "read-above-last-stable-offset",
                        polled,
                        last,
                        "the highest that a leader had published was " + marks[1]);
            }
        }
        int epoch = records.leaderEpoch(records.size() - 1);
        highestEpochs.merge(polled.partition(), epoch, Math::max);
        readsOfEpochs
                .computeIfAbsent(key(polled.partition(), epoch), any -> new ReadMarks())
                .add(polled.atNs(), last);
        reads.computeIfAbsent(polled.partition(), any -> new ReadMarks()).add(polled.atNs(), last);
        Long since = positionedNs.get(key(polled.consumer(), polled.partition()));
        if (since != null && partition.isGone(records.offset(0), since)) {
            report(
                    "read-below-log-start",
                    polled,
                    records.offset(0),
                    "it was deleted before the consumer took its position at " + evidence.at(since));
        }
        findings.checked(Invariant.I8, records.size());
    }

    private void observe(WatermarksObserved now) {
        PartitionFacts partition = facts.partition(now.partition());
        if (partition.isLawless()) {
            return;
        }
        findings.checked(Invariant.I8, 1);
        int highestEpoch = highestEpochs.merge(now.partition(), now.leaderEpoch(), Math::max);
        WatermarksObserved before = observed.put(now.observer() + "/" + now.partition(), now);
        boolean comparable =
                before != null && before.leaderEpoch() == now.leaderEpoch() && before.atNs() <= now.invokedNs();
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
        long read = reads.getOrDefault(now.partition(), new ReadMarks()).highestBefore(now.invokedNs());
        if (now.highWatermark() < 0 || read < now.highWatermark()) {
            return;
        }
        long readOfEpoch = readsOfEpochs
                .getOrDefault(key(now.partition(), now.leaderEpoch()), new ReadMarks())
                .highestBefore(now.invokedNs());
        if (now.leaderEpoch() >= 0 && now.leaderEpoch() < highestEpoch) {
            // A paused former leader answers once more before it learns of its successor.
            findings.tolerate("I8 watermark-of-a-former-leader");
        } else if (partition.isReplicated() && readOfEpoch < now.highWatermark()) {
            // A follower learns watermarks later than consumers and starts with the one it knows (seed 1844587924, a
            // stock broker).
            findings.tolerate("I8 watermark-of-a-new-leader");
        } else {
            findings.add(
                    Invariant.I8,
                    "read-above-high-watermark",
                    partition.name,
                    "offset " + read + " was returned before the high watermark was " + now.highWatermark(),
                    () -> List.of(now.toString(), evidence.log(now.partition(), read)));
        }
    }

    private static boolean isBack(long before, long now) {
        return now >= 0 && now < before;
    }

    private void report(String name, Polled polled, long offset, String why) {
        String who = facts.consumer(polled.consumer()).name();
        findings.add(
                Invariant.I8,
                name,
                facts.partition(polled.partition()).name,
                who + " was given offset " + offset + ", but " + why,
                () -> List.of(
                        who + " polled at " + evidence.at(polled.atNs()) + ": " + polled.records(),
                        evidence.log(polled.partition(), offset)));
    }
}
