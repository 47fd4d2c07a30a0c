// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.RequestFrame;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * One connection whose Produce requests are sent at scheduled times, whether or not earlier ones are answered. A
 * separate thread sends; the owner of the selector takes the answers. A stall delays later requests, and latencies from
 * scheduled times include it. Only with very many unanswered requests do later ones wait, and their latencies include
 * the wait.
 */
final class ScheduledProducer implements AutoCloseable {
    private static final int CORRELATION_ID_INDEX = 2 * Integer.BYTES;
    private static final int MOST_ANSWERS_BYTES = 64 << 10;
    private static final long SETTLE_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);
    /** Pause between checks of a condition that another thread or the peer changes. */
    private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(20);

    private final SocketChannel channel;
    private final ByteBuffer[] frames;
    private final int mostInFlight;
    private final ByteBuffer input =
            ByteBuffer.allocateDirect(MOST_ANSWERS_BYTES).limit(0);
    /** Requests before the schedule. */
    private long settled;

    private Thread sender;
    private volatile long sent;
    private volatile long answered;
    private volatile boolean closing;
    private volatile Exception failure;

    private ScheduledProducer(SocketChannel channel, List<RequestFrame> requests, int mostInFlight) {
        this.channel = channel;
        this.mostInFlight = mostInFlight;
        frames = requests.stream()
                .map(request -> ByteBuffer.allocateDirect(request.sizeBytes())
                        .put(request.bytes())
                        .flip())
                .toArray(ByteBuffer[]::new);
    }

    /** @param requests requests of one partition each, used in turn */
    static ScheduledProducer open(
            Selector selector, InetSocketAddress address, List<RequestFrame> requests, int mostInFlight)
            throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.connect(address);
            channel.configureBlocking(false);
            ScheduledProducer producer = new ScheduledProducer(channel, requests, mostInFlight);
            channel.register(selector, SelectionKey.OP_READ, producer);
            return producer;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Sends requests one at a time for a while and returns their number, because a proxy treats a new connection
     * differently for some milliseconds. Call before {@link #start}.
     */
    long settle(Selector selector) throws IOException {
        long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < SETTLE_NS) {
            send(frames[0], (int) settled);
            while (answered == settled) {
                if (selector.select(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NS)) == 0) {
                    throw new SocketTimeoutException("no answer within " + PATIENCE_NS / 1_000_000 + " ms");
                }
                selector.selectedKeys().clear();
                receive(index -> {});
            }
            settled++;
        }
        sent = settled;
        return settled;
    }

    /**
     * Sends {@code count} requests at their scheduled times, none after {@code endNs}. Call once.
     *
     * @param startNs start of the schedule, by {@link System#nanoTime}
     */
    void start(Schedule schedule, long count, long startNs, long endNs) {
        sender = new Thread(
                () -> {
                    try {
                        run(schedule, count, startNs, endNs);
                    } catch (IOException | RuntimeException e) {
                        failure = e;
                    }
                },
                "scheduled-producer");
        sender.setDaemon(true);
        sender.start();
    }

    private void run(Schedule schedule, long count, long startNs, long endNs) throws IOException {
        for (long index = 0; index < count && !closing; index++) {
            long dueNs = startNs + schedule.dueNs(index);
            long leftNs = dueNs - System.nanoTime();
            while (leftNs > 0 && !closing) {
                LockSupport.parkNanos(leftNs);
                leftNs = dueNs - System.nanoTime();
            }
            while (settled + index - answered >= mostInFlight && !closing && System.nanoTime() < endNs) {
                LockSupport.parkNanos(PAUSE_NS);
            }
            if (System.nanoTime() >= endNs) {
                return;
            }
            sent = settled + index + 1;
            send(frames[(int) (index % frames.length)], (int) (settled + index));
        }
    }

    private void send(ByteBuffer frame, int correlationId) throws IOException {
        frame.clear();
        frame.putInt(CORRELATION_ID_INDEX, correlationId);
        long deadlineNs = System.nanoTime() + PATIENCE_NS;
        while (frame.hasRemaining() && !closing) {
            if (channel.write(frame) == 0) {
                LockSupport.parkNanos(PAUSE_NS);
                if (System.nanoTime() > deadlineNs) {
                    throw new SocketTimeoutException("the socket took nothing for " + PATIENCE_NS / 1_000_000 + " ms");
                }
            }
        }
    }

    /**
     * Reads available answers and passes the schedule's index of each answered request.
     *
     * @throws IllegalStateException on an error answer
     */
    void receive(LongConsumer answer) throws IOException {
        input.compact();
        int readBytes;
        try {
            readBytes = channel.read(input);
        } finally {
            input.flip();
        }
        if (readBytes < 0) {
            throw new EOFException("the peer closed the connection");
        }
        while (input.remaining() >= Integer.BYTES
                && input.remaining() >= Integer.BYTES + input.getInt(input.position())) {
            int start = input.position() + Integer.BYTES;
            int sizeBytes = input.getInt(input.position());
            long index = answered;
            short error = ProduceAnswer.error(input, start);
            if (input.getInt(start) != (int) index || error != 0) {
                throw new IllegalStateException("request " + index + " was answered with correlation id "
                        + input.getInt(start) + " and error " + error);
            }
            input.position(start + sizeBytes);
            answer.accept(index - settled);
            answered = index + 1;
        }
    }

    /** Counts only the schedule's requests, as the following one. */
    long sent() {
        return sent - settled;
    }

    long answered() {
        return answered - settled;
    }

    /**
     * Returns whether all requests are sent and answered.
     *
     * @throws IOException if sending failed
     */
    boolean isDone() throws IOException {
        if (failure != null) {
            throw new IOException("cannot send", failure);
        }
        return !sender.isAlive() && answered == sent;
    }

    @Override
    public void close() throws IOException {
        closing = true;
        try {
            if (sender != null) {
                sender.join(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NS));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            channel.close();
        }
    }
}
