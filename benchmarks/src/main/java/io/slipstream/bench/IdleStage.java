// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.JvmProfile;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;

/**
 * A stock broker with the plugin, the proxies of the cases, a topic, and a producer connected directly to the broker.
 * All run for the whole benchmark.
 */
final class IdleStage implements AutoCloseable {
    /** Maximum number of open files of a JVM besides its connections. */
    private static final int OTHER_FILES = 1_000;

    private static final int VALUE_BYTES = 100;

    private final BrokerProcess broker;
    private final ProcessCpu brokerCpu;
    private final Map<Way, ProxyProcess> proxies = new EnumMap<>(Way.class);
    private final Map<Way, ProcessCpu> proxyCpus = new EnumMap<>(Way.class);
    private final long[] endOffsets;
    private TopicRef topic;
    private RawClient producer;
    private RequestFrame[] records;

    private IdleStage(BenchOptions options, int partitions) {
        BrokerProcess.Builder builder =
                BrokerProcess.builder(options.brokerLine()).profile(JvmProfile.PRODUCTION);
        broker = (options.isVerbs() ? builder.withVerbs() : builder.withAgent()).start();
        brokerCpu = ProcessCpu.of(broker.pid());
        endOffsets = new long[partitions];
    }

    static IdleStage start(Set<IdleCase> cases, int consumers, int partitions, BenchOptions options)
            throws IOException {
        IdleStage stage = new IdleStage(options, partitions);
        try {
            for (IdleCase idleCase : cases) {
                stage.startProxy(idleCase.way());
            }
            stage.requireFiles(consumers);
            stage.createTopic();
            return stage;
        } catch (IOException | RuntimeException failure) {
            stage.close();
            throw failure;
        }
    }

    private void startProxy(Way way) {
        ProxyProcess.Builder builder = ProxyProcess.builder(broker).profile(JvmProfile.SIDECAR);
        if (way == Way.PROXY_TCP) {
            proxies.put(way, builder.withoutRdma().start());
        } else if (way == Way.PROXY_RDMA) {
            proxies.put(way, builder.start());
        }
        if (proxies.containsKey(way)) {
            proxyCpus.put(way, ProcessCpu.of(proxies.get(way).pid()));
        }
    }

    private void requireFiles(int consumers) {
        OpenFiles.require("this process", ProcessHandle.current().pid(), consumers + OTHER_FILES);
        OpenFiles.require("the broker", broker.pid(), consumers + OTHER_FILES);
        // One connection to the client and one to the broker.
        proxies.values().forEach(proxy -> OpenFiles.require("the proxy", proxy.pid(), 2L * consumers + OTHER_FILES));
    }

    private void createTopic() throws IOException {
        try (RawTopics creator = new RawTopics(broker.bootstrapServers())) {
            topic = creator.create("idle", endOffsets.length);
        }
        producer = RawClient.connect(broker.bootstrapServers());
        records = new RequestFrame[endOffsets.length];
        for (int partition = 0; partition < records.length; partition++) {
            records[partition] = ProduceRequests.version(ProduceRequests.NEWEST, 1)
                    .add(topic, partition, Batches.of(new byte[VALUE_BYTES]))
                    .frame();
        }
    }

    /** Appends one record and waits for its acknowledgement. */
    void produce(int partition) throws IOException {
        producer.send(records[partition]);
        ProduceAnswer.receiveOffset(producer);
        endOffsets[partition]++;
    }

    /** @param partitions number of partitions that the consumers read */
    IdleConsumers consumers(Way way, int count, int partitions, int maxWaitMs) throws IOException {
        String bootstrap =
                way == Way.DIRECT ? broker.bootstrapServers() : proxies.get(way).bootstrapServers();
        MetadataResponseBroker node = RawTopics.onlyBroker(bootstrap);
        return IdleConsumers.open(
                new InetSocketAddress(node.host(), node.port()),
                topic,
                count,
                Arrays.copyOf(endOffsets, partitions),
                maxWaitMs);
    }

    long brokerNs() {
        return brokerCpu.readNs();
    }

    /** Returns the CPU time of the way's proxy; on other ways that of the proxy with RDMA, which is then idle. */
    long proxyNs(Way way) {
        ProcessCpu proxy = proxyCpus.containsKey(way) ? proxyCpus.get(way) : proxyCpus.get(Way.PROXY_RDMA);
        return proxy == null ? 0 : proxy.readNs();
    }

    /** Returns the requests answered by RDMA through the way's proxy; 0 without a proxy. */
    long requestsByRdma(Way way) {
        return proxies.containsKey(way)
                ? proxies.get(way).metrics().count("slipstream_requests_total", "path", "rdma")
                : 0;
    }

    long brokerPid() {
        return broker.pid();
    }

    /** 0 without a proxy on the way. */
    long proxyPid(Way way) {
        return proxies.containsKey(way) ? proxies.get(way).pid() : 0;
    }

    @Override
    public void close() throws IOException {
        try {
            if (producer != null) {
                producer.close();
            }
        } finally {
            proxies.values().forEach(ProxyProcess::close);
            broker.close();
        }
    }
}
