// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.PathCounts;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;

/**
 * Two clients that have no part in a fault, one directly at the broker and one through a proxy of its own. Both write
 * records to one topic and read them. Not safe for concurrent use.
 */
public final class Neighbours implements AutoCloseable {
    private static final int ROUNDS = 200;
    private static final int VALUE_BYTES = 1_000;

    private final BrokerProcess broker;
    private final ProxyProcess proxy;
    private RawClient directClient;
    private RawClient proxiedClient;
    private TopicRef topic;

    /** Starts the proxy, which is not that of the clients with a part in the fault. */
    public Neighbours(BrokerProcess broker) throws IOException {
        this.broker = broker;
        proxy = ProxyProcess.builder(broker).property("event.loops", "1").start();
        try (RawTopics topics = new RawTopics(broker.bootstrapServers())) {
            // The records have timestamps years ago.
            topic = topics.createOn("neighbours", List.of(broker.nodeId()), "retention.ms", "-1");
            connect();
            // Until the proxy has a link and a grant, unless the fault forbids it.
            measure(() -> false);
        } catch (IOException | RuntimeException | Error failure) {
            close();
            throw failure;
        }
    }

    public ProxyProcess proxy() {
        return proxy;
    }

    /** Connects again, after a restart of the broker. */
    public void connect() throws IOException {
        disconnect();
        directClient = RawClient.connect(broker.bootstrapServers());
        proxiedClient = RawClient.connect(proxy.bootstrapServers());
    }

    /** Measures some rounds, and more as long as the fault lasts. Prints and checks the result. */
    public void verify(String fault, BooleanSupplier lasts) throws IOException {
        PathCounts before = PathCounts.in(proxy.metrics());
        TailLatency latency = measure(lasts);
        PathCounts counts = PathCounts.in(proxy.metrics()).since(before);
        System.out.printf("%s: neighbours' %s; %s%n", fault, latency, counts);
        latency.verify();
    }

    private TailLatency measure(BooleanSupplier lasts) throws IOException {
        return TailLatency.of(
                directClient, proxiedClient, round -> round < ROUNDS || lasts.getAsBoolean(), this::writeAndRead);
    }

    private void writeAndRead(RawClient client, int round) throws IOException {
        client.send(ProduceRequests.version(ProduceRequests.NEWEST, 1)
                .add(topic, 0, Batches.of(new byte[VALUE_BYTES]))
                .frame());
        PartitionProduceResponse appended = client.receive()
                .as(ProduceResponseData.class)
                .responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0);
        assertThat(Errors.forCode(appended.errorCode())).isEqualTo(Errors.NONE);
        client.send(FetchRequests.version(FetchRequests.NEWEST)
                .add(topic, 0, appended.baseOffset(), 2 * VALUE_BYTES)
                .frame());
        FetchResponseData.PartitionData read = client.receive()
                .as(FetchResponseData.class)
                .responses()
                .get(0)
                .partitions()
                .get(0);
        assertThat(Errors.forCode(read.errorCode())).isEqualTo(Errors.NONE);
        assertThat(read.records().sizeInBytes()).as("bytes, round %d", round).isGreaterThan(VALUE_BYTES);
    }

    private void disconnect() throws IOException {
        if (directClient != null) {
            directClient.close();
        }
        if (proxiedClient != null) {
            proxiedClient.close();
        }
    }

    @Override
    public void close() throws IOException {
        try (proxy) {
            disconnect();
        }
    }
}
