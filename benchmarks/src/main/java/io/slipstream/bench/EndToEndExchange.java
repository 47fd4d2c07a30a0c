// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A producer and a consumer with one connection each, on one thread. An operation lasts from the send of a record until
 * the consumer, whose long poll waits at the end of the log, has received it. The acknowledgement is read afterwards.
 * Of a tail, an operation is the consumer's fetch only, after the acknowledgement. One at a time.
 */
final class EndToEndExchange implements Exchange {
    private static final long TIMEOUT_MS = 20_000;
    private static final int MOST_WAIT_MS = 10_000;
    private static final int MOST_ANSWER_BYTES = 8 << 10;
    /** Enough time for the poll to reach the broker. */
    private static final long SETTLE_NS = TimeUnit.MICROSECONDS.toNanos(100);
    /** For a consumer that waits longer than any adaptive polling lasts. */
    private static final long PACED_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Selector selector = Selector.open();
    private final RawClient producer;
    private final RequestFrame record;
    private final long pauseNs;
    private final boolean isTail;
    private FetchConnection consumer;
    private long nextOffset;

    private EndToEndExchange(RawClient producer, RequestFrame record, Workload workload) throws IOException {
        this.producer = producer;
        this.record = record;
        this.pauseNs = workload.equals(Workload.END_TO_END_PACED) ? PACED_NS : SETTLE_NS;
        this.isTail = workload.kind() == Workload.Kind.TAIL;
    }

    /** Connects both and appends a record to learn the end of the log. The topic must have no other writers. */
    static EndToEndExchange open(Workload workload, InetSocketAddress address, TopicRef topic) throws IOException {
        RequestFrame record = ProduceRequests.version(ProduceRequests.NEWEST, workload.acks())
                .add(topic, 0, Batches.of(new byte[workload.valueBytes()]))
                .frame();
        RequestFrame poll = FetchRequests.version(FetchRequests.NEWEST)
                .minBytes(1, MOST_WAIT_MS)
                .add(topic, 0, FetchConnection.OFFSET_MARK)
                .frame();
        EndToEndExchange exchange = new EndToEndExchange(RawClient.connect(address), record, workload);
        try {
            exchange.producer.send(record);
            exchange.nextOffset = ProduceAnswer.receiveOffset(exchange.producer) + 1;
            exchange.consumer = new FetchConnection(exchange.selector, 0, address, poll, MOST_ANSWER_BYTES);
            return exchange;
        } catch (IOException | RuntimeException e) {
            exchange.close();
            throw e;
        }
    }

    /** Reads the pending acknowledgement; then the consumer waits for the next record, or it is produced. */
    @Override
    public void prepare(int slot) throws IOException {
        if (isTail) {
            producer.send(record);
            producer.receiveAndDiscard();
            return;
        }
        if (producer.unanswered() > 0) {
            producer.receiveAndDiscard();
        }
        consumer.send(nextOffset);
        LockSupport.parkNanos(pauseNs);
    }

    @Override
    public void send(int slot) throws IOException {
        if (isTail) {
            consumer.send(nextOffset);
        } else {
            producer.send(record);
        }
    }

    @Override
    public int receive() throws IOException {
        do {
            if (selector.select(TIMEOUT_MS) == 0) {
                throw new SocketTimeoutException("no record within " + TIMEOUT_MS + " ms");
            }
            selector.selectedKeys().clear();
        } while (!consumer.receive());
        if (consumer.answer().nextOffset(0) != nextOffset + 1) {
            throw new IllegalStateException("at offset " + nextOffset + " the consumer got all before "
                    + consumer.answer().nextOffset(0));
        }
        nextOffset++;
        return 0;
    }

    @Override
    public long recordBytes() {
        return 0;
    }

    @Override
    public void close() throws IOException {
        producer.close();
        if (consumer != null) {
            consumer.close();
        }
        selector.close();
    }
}
