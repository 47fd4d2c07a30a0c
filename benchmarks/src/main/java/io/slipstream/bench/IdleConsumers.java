// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.Deadline;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Many consumers at the ends of their partitions, each on its own connection with consecutive long polls, all on one
 * thread. Their starts spread over the time of a poll, like consumers started independently. Consumer n reads partition
 * n modulo their number. Another thread may read counts and announce one record at a time.
 */
final class IdleConsumers implements AutoCloseable {
    private static final int MOST_ANSWER_BYTES = 4 << 10;
    private static final long LONGEST_NS = 60_000_000_000L;
    private static final int DIGITS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Selector selector = Selector.open();
    private final InetSocketAddress address;
    private final RequestFrame[] marked;
    private final FetchConnection[] connections;
    private final long[] offsets;
    private final long betweenNs;
    private final Thread thread = new Thread(this::run, "idle-consumers");
    private final AtomicInteger connected = new AtomicInteger();
    private final AtomicLong answers = new AtomicLong();
    private final AtomicInteger holders = new AtomicInteger();
    private final Histogram wakeUps = new ConcurrentHistogram(LONGEST_NS, DIGITS);
    private final Histogram firstWakeUps = new ConcurrentHistogram(LONGEST_NS, DIGITS);
    private volatile long announcedNs;
    private volatile boolean closing;
    private volatile Throwable failure;

    private IdleConsumers(InetSocketAddress address, TopicRef topic, int consumers, long[] endOffsets, int maxWaitMs)
            throws IOException {
        this.address = address;
        connections = new FetchConnection[consumers];
        marked = new RequestFrame[endOffsets.length];
        for (int partition = 0; partition < marked.length; partition++) {
            marked[partition] = FetchRequests.version(FetchRequests.NEWEST)
                    .minBytes(1, maxWaitMs)
                    .add(topic, partition, FetchConnection.OFFSET_MARK)
                    .frame();
        }
        offsets = new long[consumers];
        for (int i = 0; i < consumers; i++) {
            offsets[i] = endOffsets[i % endOffsets.length];
        }
        betweenNs = TimeUnit.MILLISECONDS.toNanos(maxWaitMs) / consumers;
    }

    /**
     * Returns when all are connected and have sent their first poll.
     *
     * @param endOffsets end offsets of the partitions
     * @throws IOException if a connection fails
     */
    static IdleConsumers open(
            InetSocketAddress address, TopicRef topic, int consumers, long[] endOffsets, int maxWaitMs)
            throws IOException {
        IdleConsumers opened = new IdleConsumers(address, topic, consumers, endOffsets, maxWaitMs);
        opened.thread.start();
        try {
            opened.await(() -> opened.connected.get() == consumers, "not all consumers connected");
            return opened;
        } catch (IOException e) {
            opened.close();
            throw e;
        }
    }

    /** Returns the number of answered polls. */
    long answers() {
        return answers.get();
    }

    /** Announces a record about to be produced; the next one must wait for {@link #awaitHeld}. */
    void announce() {
        holders.set(0);
        announcedNs = System.nanoTime();
    }

    /**
     * Waits until all consumers of the partition have received the announced record.
     *
     * @throws IOException if one times out
     */
    void awaitHeld(int partition) throws IOException {
        int expected = (connections.length - partition + marked.length - 1) / marked.length;
        await(() -> holders.get() == expected, "not all consumers of partition " + partition + " got a record");
    }

    /** Returns the times from announcement to receipt by each consumer of the partition, in nanoseconds. */
    Histogram wakeUps() {
        return wakeUps;
    }

    /** The same for the first consumer to receive it. */
    Histogram firstWakeUps() {
        return firstWakeUps;
    }

    private void await(BooleanSupplier condition, String what) throws IOException {
        boolean held = Deadline.after(PATIENCE).await(() -> failure != null || condition.getAsBoolean());
        if (failure != null) {
            throw new IOException("a consumer failed", failure);
        } else if (!held) {
            throw new IOException(what + " within " + PATIENCE.toSeconds() + " s");
        }
    }

    private void run() {
        try {
            long nextConnectNs = System.nanoTime();
            int count = 0;
            while (!closing) {
                long leftNs = nextConnectNs - System.nanoTime();
                if (count == connections.length) {
                    selector.select(this::answered);
                } else if (leftNs > 0) {
                    selector.select(this::answered, Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNs)));
                } else {
                    selector.selectNow(this::answered);
                    connect(count++);
                    nextConnectNs += betweenNs;
                }
            }
        } catch (IOException | RuntimeException e) {
            failure = e;
        }
    }

    private void connect(int slot) throws IOException {
        connections[slot] =
                new FetchConnection(selector, slot, address, marked[slot % marked.length], MOST_ANSWER_BYTES);
        connections[slot].send(offsets[slot]);
        connected.incrementAndGet();
    }

    private void answered(SelectionKey key) {
        int slot = (Integer) key.attachment();
        FetchConnection connection = connections[slot];
        try {
            if (!connection.receive()) {
                return;
            }
            answers.incrementAndGet();
            if (connection.answer().recordBytes(0) > 0) {
                held(System.nanoTime() - announcedNs);
                offsets[slot] = connection.answer().nextOffset(0);
            }
            connection.send(offsets[slot]);
        } catch (IOException e) {
            throw new IllegalStateException("consumer " + slot, e);
        }
    }

    private void held(long afterNs) {
        wakeUps.recordValue(Math.min(LONGEST_NS, afterNs));
        // Decremented last: when it is 0, all times are recorded.
        if (holders.get() == 0) {
            firstWakeUps.recordValue(Math.min(LONGEST_NS, afterNs));
        }
        holders.incrementAndGet();
    }

    @Override
    public void close() throws IOException {
        closing = true;
        selector.wakeup();
        try {
            thread.join(PATIENCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (FetchConnection connection : connections) {
            if (connection != null) {
                connection.close();
            }
        }
        selector.close();
    }
}
