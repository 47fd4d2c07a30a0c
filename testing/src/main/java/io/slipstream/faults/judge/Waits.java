// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import io.slipstream.history.ClientEvent.Assigned;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.Positioned;
import io.slipstream.history.ClientEvent.Revoked;
import io.slipstream.history.ClientEvent.WatermarksObserved;
import java.util.HashMap;
import java.util.Map;

/**
 * For how long readers were given nothing of a partition although there was something for them. An open transaction
 * stops a read_committed reader without any fault of the path, so the last stable offset counts for it.
 */
final class Waits {
    private final ReadableMarks marks = new ReadableMarks();
    /** By consumer, then by partition. */
    private final Map<Integer, Map<Integer, Position>> positions = new HashMap<>();

    private final Receiver receiver;

    /** Receives a wait of one consumer, from its start to now. */
    interface Receiver {
        void waited(int consumer, int partition, long fromNs, long toNs);
    }

    /** The next offset, and when the consumer came there. */
    private record Position(long offset, long sinceNs, boolean readCommitted) {}

    Waits(Receiver receiver) {
        this.receiver = receiver;
    }

    void observe(WatermarksObserved seen) {
        marks.observe(seen);
    }

    void acknowledge(int partition, long offset, long atNs) {
        marks.acknowledge(partition, offset, atNs);
    }

    void position(Positioned event, boolean readCommitted) {
        of(event.consumer()).put(event.partition(), new Position(event.position(), event.atNs(), readCommitted));
    }

    void poll(Polled event, boolean readCommitted) {
        if (event.records().size() == 0) {
            return;
        }
        Position before = of(event.consumer()).get(event.partition());
        if (before != null) {
            // Of the record itself: between it and the position there may be nothing that the reader may see.
            long offset = event.records().offset(0);
            tell(event.consumer(), event.partition(), before, offset, event.atNs());
        }
        of(event.consumer()).put(event.partition(), new Position(event.positionAfter(), event.atNs(), readCommitted));
    }

    void assign(Assigned event) {
        for (int partition : event.partitions()) {
            of(event.consumer()).remove(partition);
        }
    }

    void revoke(Revoked event) {
        for (int partition : event.partitions()) {
            of(event.consumer()).remove(partition);
        }
    }

    /** The session has ended, or its topic was deleted. */
    void forget(int consumer) {
        positions.remove(consumer);
    }

    /** Tells the waits that last until now. */
    void tellPending(long nowNs) {
        positions.forEach((consumer, byPartition) -> byPartition.forEach(
                (partition, position) -> tell(consumer, partition, position, position.offset, nowNs)));
    }

    private void tell(int consumer, int partition, Position position, long offset, long nowNs) {
        long readableNs = marks.sinceNs(partition, position.readCommitted, offset);
        long fromNs = Math.max(readableNs, position.sinceNs);
        if (readableNs != ReadableMarks.NEVER && fromNs < nowNs) {
            receiver.waited(consumer, partition, fromNs, nowNs);
        }
    }

    private Map<Integer, Position> of(int consumer) {
        return positions.computeIfAbsent(consumer, any -> new HashMap<>());
    }
}
