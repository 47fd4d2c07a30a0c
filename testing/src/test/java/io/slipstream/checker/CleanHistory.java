// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.BatchType;
import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.BrokerEvent.GroupOffsetFound;
import io.slipstream.history.BrokerEvent.LogDumped;
import io.slipstream.history.BrokerEvent.RecordsDeletable;
import io.slipstream.history.ClientEvent.Assigned;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.Positioned;
import io.slipstream.history.ClientEvent.RequestWritten;
import io.slipstream.history.ClientEvent.ResponseRead;
import io.slipstream.history.ClientEvent.SendCompleted;
import io.slipstream.history.ClientEvent.SendInvoked;
import io.slipstream.history.ClientEvent.TransactionBegun;
import io.slipstream.history.ClientEvent.TransactionEnded;
import io.slipstream.history.ClientEvent.TransactionOffsetsSent;
import io.slipstream.history.ClientEvent.WatermarksObserved;
import io.slipstream.history.ConsumerKind;
import io.slipstream.history.Declaration.ConsumerDeclared;
import io.slipstream.history.Declaration.CopyDeclared;
import io.slipstream.history.Declaration.PartitionDeclared;
import io.slipstream.history.Declaration.ProducerDeclared;
import io.slipstream.history.DumpKind;
import io.slipstream.history.Event;
import io.slipstream.history.MemoryHistory;
import io.slipstream.history.Outcome;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.RecordRun;
import io.slipstream.history.ResourcePhase;
import io.slipstream.history.RunEvent.ResourceCounted;
import io.slipstream.history.ValueId;
import io.slipstream.workload.SyntheticRun;
import java.util.ArrayList;
import java.util.List;

/**
 * A clean history with every kind of event, in which bugs are planted: a synthetic run over two partitions, a third
 * partition with transactional copies of the first, its crash image, a
 * fourth that lost its first record, raw requests and resources.
 */
final class CleanHistory {
    static final int PARTITIONS = 2;
    /** The copy of partition 0. */
    static final int COPY = 2;
    /** Its first record is deleted. */
    static final int TRIMMED = 3;
    /** Dumps 0 to 3 belong to the synthetic run. */
    static final int COPY_DUMP = 4;

    static final int COPY_IMAGE = 5;
    static final String COPIER = "copier";
    static final int COPIES = 60;

    private static final int SYNTHETIC_RECORDS = 8_000;
    private static final int COPYING_PRODUCER = 3 * PARTITIONS;
    private static final int CONSUMER = 4 * PARTITIONS;
    static final int CONSUMERS = CONSUMER + 3;

    private final List<Event> events;
    private long nowNs;

    private CleanHistory(long seed) {
        MemoryHistory history = new MemoryHistory();
        SyntheticRun.record(history, seed, PARTITIONS, SYNTHETIC_RECORDS);
        events = new ArrayList<>(history.events());
        nowNs = events.stream()
                        .filter(SendCompleted.class::isInstance)
                        .mapToLong(event -> ((SendCompleted) event).atNs())
                        .max()
                        .orElseThrow()
                + 1_000_000_000L;
    }

    static List<Event> record(long seed) {
        CleanHistory history = new CleanHistory(seed);
        history.copy();
        history.trim();
        history.request();
        history.count();
        return history.events;
    }

    private long now() {
        return nowNs += 1_000;
    }

    private void copy() {
        events.add(new PartitionDeclared(COPY, "copy", 0));
        events.add(new CopyDeclared(0, COPY, COPIER));
        events.add(new ProducerDeclared(COPYING_PRODUCER, ProducerKind.TRANSACTIONAL, -1, true, COPIER));
        events.add(new TransactionBegun(now(), COPYING_PRODUCER, 0));
        RecordRun.Builder copies = new RecordRun.Builder(COPIES);
        long input = 0;
        for (Object[] source : sources()) {
            int sequence = (int) (long) source[2];
            long value = ValueId.of(COPYING_PRODUCER, sequence);
            events.add(new SendInvoked(
                    now(), COPYING_PRODUCER, sequence, COPY, 0, Scenario.digest(value), (long) source[1]));
            events.add(new SendCompleted(now(), COPYING_PRODUCER, sequence, Outcome.OK, sequence, ""));
            copies.add(sequence, value, COPY, Scenario.digest(value), 0);
            input = (long) source[0] + 1;
        }
        events.add(new TransactionOffsetsSent(
                now(), COPYING_PRODUCER, 0, COPIER, new int[] {0}, new long[] {input}, Outcome.OK, ""));
        long invokedNs = now();
        events.add(new TransactionEnded(invokedNs, now(), COPYING_PRODUCER, 0, true, Outcome.OK, ""));
        events.add(new WatermarksObserved(now(), now(), "admin", COPY, 0, COPIES + 1, COPIES + 1, 0));
        RecordRun records = copies.build();
        read(CONSUMER, false, records);
        read(CONSUMER + 1, true, records);
        events.add(new WatermarksObserved(now(), now(), "admin", COPY, 0, COPIES + 1, COPIES + 1, 0));
        events.add(new GroupOffsetFound(COPIER, 0, input));
        dump(COPY_DUMP, DumpKind.FINAL, records);
        dump(COPY_IMAGE, DumpKind.CRASH_IMAGE, records);
    }

    /** The first records that a final read_committed reader of partition 0 saw: offset, value, number. */
    private List<Object[]> sources() {
        List<Object[]> sources = new ArrayList<>();
        for (Event event : events) {
            if (event instanceof Polled polled && polled.consumer() == PARTITIONS * 2 + 1) {
                for (int i = 0; i < polled.records().size() && sources.size() < COPIES; i++) {
                    sources.add(new Object[] {
                        polled.records().offset(i), polled.records().value(i), (long) sources.size()
                    });
                }
            }
        }
        return sources;
    }

    private void read(int consumer, boolean readCommitted, RecordRun records) {
        events.add(new ConsumerDeclared(consumer, ConsumerKind.FROM_ZERO, "", readCommitted));
        events.add(new Assigned(now(), consumer, new int[] {COPY}));
        events.add(new Positioned(now(), consumer, COPY, 0));
        events.add(new Polled(now(), now(), consumer, COPY, 0, COPIES + 1, records));
    }

    private void dump(int dump, DumpKind kind, RecordRun records) {
        events.add(new LogDumped(dump, kind, COPY, 1, true, 0, COPIES + 1, COPIES + 1, now()));
        events.add(new BatchDumped(dump, 0, COPIES - 1, 0, 9, 0, 0, BatchType.TRANSACTIONAL, true, 1, records));
        events.add(
                new BatchDumped(dump, COPIES, COPIES, 0, 9, 0, -1, BatchType.COMMIT_MARKER, true, 2, RecordRun.EMPTY));
    }

    private void trim() {
        int producer = COPYING_PRODUCER + 1;
        int consumer = CONSUMER + 2;
        events.add(new PartitionDeclared(TRIMMED, "trimmed", 0));
        events.add(new ProducerDeclared(producer, ProducerKind.PLAIN, -1, true, ""));
        for (int i = 0; i < 2; i++) {
            int digest = Scenario.digest(ValueId.of(producer, i));
            events.add(new SendInvoked(now(), producer, i, TRIMMED, -1, digest, ValueId.NONE));
            events.add(new SendCompleted(now(), producer, i, Outcome.OK, i, ""));
        }
        events.add(new RecordsDeletable(now(), TRIMMED, 1));
        events.add(new WatermarksObserved(now(), now(), "admin", TRIMMED, 0, 2, 2, 1));
        events.add(new ConsumerDeclared(consumer, ConsumerKind.ASSIGNED, "", false));
        events.add(new Positioned(now(), consumer, TRIMMED, 1));
        long value = ValueId.of(producer, 1);
        RecordRun rest = new RecordRun.Builder(1)
                .add(1, value, TRIMMED, Scenario.digest(value), 0)
                .build();
        events.add(new Polled(now(), now(), consumer, TRIMMED, 1, 2, rest));
        events.add(new WatermarksObserved(now(), now(), "admin", TRIMMED, 0, 2, 2, 1));
    }

    private void request() {
        for (int i = 0; i < 10; i++) {
            events.add(new RequestWritten(now(), 0, i, i % 2, 11));
            events.add(new RequestWritten(now(), 1, i, i % 2, 11));
            events.add(new ResponseRead(now(), 0, i, i % 2 == 0 ? 6 : 0));
        }
        for (int i = 0; i < 10; i++) {
            events.add(new ResponseRead(now(), 1, i, 0));
        }
    }

    private void count() {
        events.add(new ResourceCounted(now(), "proxy", "memoryRegions", ResourcePhase.BASELINE, 4, 0));
        events.add(new ResourceCounted(now(), "proxy", "memoryRegions", ResourcePhase.END, 4, 0));
    }
}
