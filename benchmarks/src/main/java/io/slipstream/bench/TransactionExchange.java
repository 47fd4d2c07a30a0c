// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * Transactions of one record, one at a time, by the second protocol (KIP-890): the Produce adds the partition, and each
 * end begins the next epoch. An operation lasts from the send of the Produce until the end is answered. The next one
 * waits until the markers are written. Otherwise the coordinator refuses it, and retries after 20 ms on every way.
 */
final class TransactionExchange implements Exchange {
    private static final short FIND_VERSION = 3;
    private static final byte TRANSACTION_KEY = 1;
    private static final int INIT_VERSION = 5;
    private static final int END_VERSION = 5;
    private static final int TIMEOUT_MS = 60_000;
    private static final long MARKERS_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final RawClient client;
    private final TopicRef topic;
    private final int valueBytes;
    private final String transactionalId;
    private long producerId;
    private short epoch;
    private RequestFrame produce;

    private TransactionExchange(RawClient client, TopicRef topic, int valueBytes, String transactionalId) {
        this.client = client;
        this.topic = topic;
        this.valueBytes = valueBytes;
        this.transactionalId = transactionalId;
    }

    /** Connects and waits for a producer id. The first request for a coordinator creates the coordinators' topic. */
    static TransactionExchange open(Workload workload, InetSocketAddress address, TopicRef topic) throws IOException {
        TransactionExchange exchange = new TransactionExchange(
                RawClient.connect(address), topic, workload.valueBytes(), "writer-of-" + topic.name());
        boolean known = Deadline.after(Patience.ofSeconds(30)).await(exchange::init);
        if (!known) {
            exchange.close();
            throw new IllegalStateException("no coordinator gives a producer id");
        }
        return exchange;
    }

    private boolean init() {
        try {
            client.call(
                    FIND_VERSION,
                    new FindCoordinatorRequestData().setKeyType(TRANSACTION_KEY).setKey(transactionalId));
            InitProducerIdResponseData given = client.call(
                    INIT_VERSION,
                    new InitProducerIdRequestData()
                            .setTransactionalId(transactionalId)
                            .setTransactionTimeoutMs(TIMEOUT_MS),
                    InitProducerIdResponseData.class);
            producerId = given.producerId();
            epoch = given.producerEpoch();
            return given.errorCode() == Errors.NONE.code();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void prepare(int slot) {
        produce = ProduceRequests.version(ProduceRequests.NEWEST, -1)
                .transactionalId(transactionalId)
                .add(topic, 0, Batches.transactional(producerId, epoch, 0, new byte[valueBytes]))
                .frame();
        LockSupport.parkNanos(MARKERS_NS);
    }

    @Override
    public void send(int slot) throws IOException {
        client.send(produce);
    }

    @Override
    public int receive() throws IOException {
        Errors error = produced();
        while (error == Errors.CONCURRENT_TRANSACTIONS) {
            // The coordinator still writes the markers of the last transaction.
            client.send(produce);
            error = produced();
        }
        if (error != Errors.NONE) {
            throw new IllegalStateException("a transactional produce was answered " + error);
        }
        EndTxnResponseData ended = client.call(
                END_VERSION,
                new EndTxnRequestData()
                        .setTransactionalId(transactionalId)
                        .setProducerId(producerId)
                        .setProducerEpoch(epoch)
                        .setCommitted(true),
                EndTxnResponseData.class);
        if (ended.errorCode() != Errors.NONE.code()) {
            throw new IllegalStateException(
                    "the end of a transaction was answered " + Errors.forCode(ended.errorCode()));
        }
        producerId = ended.producerId();
        epoch = ended.producerEpoch();
        return 0;
    }

    private Errors produced() throws IOException {
        return Errors.forCode(client.receive()
                .as(ProduceResponseData.class)
                .responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0)
                .errorCode());
    }

    @Override
    public long recordBytes() {
        return 0;
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
