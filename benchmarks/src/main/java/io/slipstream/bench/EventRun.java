// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;

/**
 * A producer that sends events at scheduled times, and a consumer with consecutive long polls, on one connection each.
 * One thread reads the answers of both. The topic has no other writers, so an offset identifies an event.
 */
final class EventRun {
    private static final long TIMEOUT_NS = 20_000_000_000L;
    private static final int MOST_WAIT_MS = 500;
    private static final int MOST_FETCHED_BYTES = 256 << 10;
    private static final int MOST_ANSWER_BYTES = MOST_FETCHED_BYTES + (8 << 10);
    private static final int MOST_IN_FLIGHT = 2_048;
    /** Factor of the scheduled time after which unsent events are given up. */
    private static final int MOST_TIMES = 2;

    private final Schedule schedule;
    private final int firstMeasured;
    private final long[] delaysNs;
    private long startNs;
    private long firstOffset;
    private long nextOffset;
    private long requests;

    EventRun(Schedule schedule, long warmupNs, long measureNs) {
        this.schedule = schedule;
        firstMeasured = (int) schedule.before(warmupNs);
        delaysNs = new long[(int) schedule.before(warmupNs + measureNs)];
    }

    /**
     * @param events one un-batched Produce each, used in turn; the first one is sent beforehand to learn the end of the
     * log
     */
    EventRun run(InetSocketAddress address, TopicRef topic, List<RequestFrame> events) throws IOException {
        long endOffset = append(address, events.get(0)) + 1;
        RequestFrame poll = FetchRequests.version(FetchRequests.NEWEST)
                .minBytes(1, MOST_WAIT_MS)
                .add(topic, 0, FetchConnection.OFFSET_MARK, MOST_FETCHED_BYTES)
                .frame();
        FetchConnection consumer = null;
        try (Selector selector = Selector.open();
                ScheduledProducer producer = ScheduledProducer.open(selector, address, events, MOST_IN_FLIGHT)) {
            long settled = producer.settle(selector);
            firstOffset = endOffset + settled;
            nextOffset = firstOffset;
            consumer = new FetchConnection(selector, 0, address, poll, MOST_ANSWER_BYTES);
            consumer.send(nextOffset);
            startNs = System.nanoTime();
            long endNs = startNs + MOST_TIMES * schedule.dueNs(delaysNs.length);
            producer.start(schedule, delaysNs.length, startNs, endNs);
            long progressNs = startNs;
            while (!producer.isDone() || nextOffset - firstOffset < producer.sent()) {
                if (selector.select(1) > 0) {
                    for (SelectionKey key : selector.selectedKeys()) {
                        take(key, producer, consumer);
                    }
                    selector.selectedKeys().clear();
                    progressNs = System.nanoTime();
                } else if (System.nanoTime() - progressNs > TIMEOUT_NS) {
                    throw new SocketTimeoutException("no event for " + TIMEOUT_NS / 1_000_000 + " ms");
                }
            }
            if (producer.sent() < delaysNs.length) {
                throw new IOException("only " + producer.sent() + " of " + delaysNs.length
                        + " events could be sent in twice the time that they are due in");
            }
            requests += 1 + settled + producer.answered();
        } finally {
            if (consumer != null) {
                consumer.close();
            }
        }
        return this;
    }

    private static long append(InetSocketAddress address, RequestFrame event) throws IOException {
        try (RawClient client = RawClient.connect(address)) {
            client.send(event);
            return ProduceAnswer.receiveOffset(client);
        }
    }

    private void take(SelectionKey key, ScheduledProducer producer, FetchConnection consumer) throws IOException {
        if (key.attachment() == producer) {
            producer.receive(index -> {});
        } else if (consumer.receive()) {
            requests++;
            held(consumer.answer().nextOffset(0), System.nanoTime());
            consumer.send(nextOffset);
        }
    }

    /** The consumer has received all events before the offset. */
    private void held(long beforeOffset, long nowNs) {
        for (long offset = nextOffset; offset < beforeOffset; offset++) {
            int index = (int) (offset - firstOffset);
            delaysNs[index] = nowNs - startNs - schedule.dueNs(index);
        }
        nextOffset = beforeOffset;
    }

    /** Returns the delay of each event in order, from its scheduled time until the consumer received it. */
    long[] delaysNs() {
        return delaysNs;
    }

    /** Index of the first event after the warm-up. */
    int firstMeasured() {
        return firstMeasured;
    }

    /** Answered requests of both. */
    long requests() {
        return requests;
    }
}
