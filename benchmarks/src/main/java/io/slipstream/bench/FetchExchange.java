// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RequestFrame;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Collections;
import java.util.Iterator;

/**
 * Fetches on separate connections under one selector, one in flight on each. Offsets follow the answers and restart at
 * the end of the log. Every answer is checked, see {@link FetchAnswer}; each partition must have records if the log
 * has.
 */
final class FetchExchange implements Exchange {
    private static final long TIMEOUT_MS = 20_000;
    private static final int ONE_BATCH_BYTES = 1;
    private static final int SCAN_BYTES = 1 << 20;
    private static final int SCAN_WAIT_MS = 500;
    /** Room for the fields around the records and a batch header. */
    private static final int SPARE_BYTES = 4 << 10;

    /** Overhead of a record besides its value. */
    private static final int RECORD_BYTES = 24;

    private final Selector selector = Selector.open();
    private final FetchConnection[] connections;
    /** By slot and partition. */
    private final long[][] offsets;

    private final long endOffset;
    private final boolean follows;
    private final boolean inStep;
    /** Slots whose request waits for the answers of all others; only in step. */
    private final int[] held;

    private int heldCount;
    private int unanswered;
    private Iterator<SelectionKey> ready = Collections.emptyIterator();
    private long recordBytes;

    private FetchExchange(int count, int partitions, long endOffset, boolean follows, boolean inStep)
            throws IOException {
        connections = new FetchConnection[count];
        offsets = new long[count][partitions];
        this.endOffset = endOffset;
        this.follows = follows;
        this.inStep = inStep;
        held = new int[count];
    }

    /**
     * Connects, and waits for one answer on each connection.
     *
     * @param follows false if all answers are for offset 0, as those of an echo
     */
    static FetchExchange open(Workload workload, InetSocketAddress address, FilledLog log, boolean follows)
            throws IOException {
        FetchExchange exchange = new FetchExchange(
                workload.inFlight(), workload.partitions(), log.endOffset(), follows, workload.isInStep());
        boolean scan = workload.kind() == Workload.Kind.SCAN;
        FetchRequests marking = FetchRequests.version(FetchRequests.NEWEST).minBytes(1, scan ? SCAN_WAIT_MS : 0);
        for (int partition = 0; partition < workload.partitions(); partition++) {
            int partitionBytes = scan ? SCAN_BYTES / workload.partitions() : ONE_BATCH_BYTES;
            marking.add(log.topic(), partition, FetchConnection.OFFSET_MARK, partitionBytes);
        }
        RequestFrame marked = marking.frame();
        // The first batch of an answer is always whole, whatever its size.
        int mostBytes = SPARE_BYTES
                + (scan ? SCAN_BYTES : 0)
                + workload.batchRecords() * (workload.valueBytes() + RECORD_BYTES);
        try {
            for (int slot = 0; slot < exchange.connections.length; slot++) {
                exchange.connections[slot] = new FetchConnection(exchange.selector, slot, address, marked, mostBytes);
            }
            for (int slot = 0; slot < exchange.connections.length; slot++) {
                exchange.send(slot);
                exchange.receive();
            }
        } catch (IOException | RuntimeException e) {
            exchange.close();
            throw e;
        }
        return exchange;
    }

    @Override
    public void send(int slot) throws IOException {
        if (inStep) {
            held[heldCount++] = slot;
        } else {
            connections[slot].send(offsets[slot]);
        }
    }

    /** Starts the next step. */
    private void sendHeld() throws IOException {
        if (unanswered == 0) {
            unanswered = heldCount;
            for (int i = 0; i < heldCount; i++) {
                connections[held[i]].send(offsets[held[i]]);
            }
            heldCount = 0;
        }
    }

    @Override
    public int receive() throws IOException {
        sendHeld();
        while (true) {
            while (ready.hasNext()) {
                int slot = (Integer) ready.next().attachment();
                ready.remove();
                if (connections[slot].receive()) {
                    take(slot, connections[slot].answer());
                    unanswered -= inStep ? 1 : 0;
                    return slot;
                }
            }
            if (selector.select(TIMEOUT_MS) == 0) {
                throw new SocketTimeoutException("no answer within " + TIMEOUT_MS + " ms");
            }
            ready = selector.selectedKeys().iterator();
        }
    }

    private void take(int slot, FetchAnswer answer) {
        for (int partition = 0; partition < offsets[slot].length; partition++) {
            int sizeBytes = answer.recordBytes(partition);
            if ((sizeBytes > 0) != (endOffset > 0)) {
                throw new IllegalStateException(
                        "fetch answered " + sizeBytes + " bytes of records of partition " + partition);
            }
            recordBytes += sizeBytes;
            if (follows) {
                long next = answer.nextOffset(partition);
                offsets[slot][partition] = next < endOffset ? next : 0;
            }
        }
    }

    @Override
    public long recordBytes() {
        return recordBytes;
    }

    /** Returns the last answer on the first connection. */
    ByteBuffer answerFrame() {
        return connections[0].answerFrame();
    }

    @Override
    public void close() throws IOException {
        for (FetchConnection connection : connections) {
            if (connection != null) {
                connection.close();
            }
        }
        selector.close();
    }
}
