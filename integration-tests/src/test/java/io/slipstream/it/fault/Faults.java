// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.process.BrokerProcess;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;

/** Checks and actions on processes for fault tests. */
final class Faults {
    private static final double MOSTLY = 0.8;
    private static final int MORE_RECORDS = 100;
    private static final int MOST_MORE_RECORDS = 3_200;
    private static final String[] HELD_FOR_CLIENTS = {
        "slipstream_requests_in_flight",
        "slipstream_transport_in_flight",
        "slipstream_ring_bytes_in_use",
        "slipstream_sessions_bound",
        "slipstream_grants",
        "slipstream_fetch_waits",
        "slipstream_prefetched_bytes"
    };

    private Faults() {}

    /**
     * Starts a proxy and waits for its link, which it sets up for its first client. On a slow machine a stream would
     * take TCP for much of its time.
     */
    static ProxyProcess startLinked(BrokerProcess broker) {
        ProxyProcess proxy = ProxyProcess.builder(broker).start();
        try {
            assertThat(proxy.awaitLink(Patience.ofSeconds(20))).as("a link").isTrue();
            return proxy;
        } catch (Exception | AssertionError e) {
            String log = proxy.logTail();
            proxy.close();
            throw new IllegalStateException("the proxy has no link" + log, e);
        }
    }

    /** Closes a process, which may be null. A failure fails the test. */
    static void close(AutoCloseable process) {
        if (process == null) {
            return;
        }
        try {
            process.close();
        } catch (Exception e) {
            throw new IllegalStateException("cannot close " + process, e);
        }
    }

    static long requests(ProxyProcess proxy, String api, String path) {
        return proxy.metrics().count("slipstream_requests_total", "api", api.toUpperCase(Locale.ROOT), "path", path);
    }

    /** Fails if requests stayed on TCP, because the run would prove nothing about RDMA. */
    static void assertMostlyByRdma(ProxyProcess proxy, String api) {
        assertMostlyByRdma(proxy, api, 0, 0);
    }

    /** Likewise, of the requests since the proxy had these counts. */
    static void assertMostlyByRdma(ProxyProcess proxy, String api, long rdmaBefore, long tcpBefore) {
        long byRdma = requests(proxy, api, "rdma") - rdmaBefore;
        long byTcp = requests(proxy, api, "tcp") - tcpBefore;
        assertThat(byRdma)
                .as("%s requests by RDMA, %d by TCP; fallbacks %s", api, byTcp, fallbacks(proxy))
                .isGreaterThan((long) (MOSTLY * (byRdma + byTcp)));
    }

    static String fallbacks(ProxyProcess proxy) {
        StringBuilder text = new StringBuilder();
        for (MetricSamples.Sample sample : proxy.metrics().all()) {
            if (sample.name().equals("slipstream_fallbacks_total") && sample.value() > 0) {
                text.append(sample.labels().get("reason"))
                        .append('=')
                        .append((long) sample.value())
                        .append(' ');
            }
        }
        return text.toString();
    }

    /** Waits until requests of the API go by RDMA; a client must be sending them. */
    static void awaitByRdma(ProxyProcess proxy, String api) {
        long before = requests(proxy, api, "rdma");
        await().atMost(Patience.ofSeconds(60))
                .pollInterval(Duration.ofMillis(50))
                .alias(api + " by RDMA")
                .until(() -> requests(proxy, api, "rdma") > before);
    }

    /**
     * Waits until more Produce requests took that path than before; adds records to a finished stream. Each further
     * producer sends more of them, since on a slow machine one that sends few is done before its session is bound.
     */
    static void awaitMore(BrokerProcess broker, ProxyProcess proxy, RecordStream stream, String path, long before) {
        AtomicInteger records = new AtomicInteger(MORE_RECORDS);
        try {
            await().atMost(Patience.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> {
                        if (requests(proxy, "PRODUCE", path) > before) {
                            return true;
                        }
                        if (stream.isProduced()) {
                            stream.produce(
                                    proxy.bootstrapServers(),
                                    records.getAndUpdate(sent -> Math.min(2 * sent, MOST_MORE_RECORDS)));
                        }
                        return false;
                    });
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(
                    "no more PRODUCE by " + path + " than " + before + "; the stream is "
                            + (stream.isProduced() ? "" : "not ") + "produced; fallbacks " + fallbacks(proxy)
                            + proxy.logTail() + broker.logTail(),
                    e);
        }
    }

    /** Waits until no state is held for disconnected clients. */
    static void awaitIdle(ProxyProcess proxy) {
        await().atMost(Patience.ofSeconds(30))
                .pollInterval(Duration.ofMillis(50))
                .untilAsserted(() -> {
                    MetricSamples metrics = proxy.metrics();
                    assertThat(metrics.sum("slipstream_connections", "side", "client"))
                            .as("client connections")
                            .isZero();
                    for (String gauge : HELD_FOR_CLIENTS) {
                        assertThat(metrics.sum(gauge)).as(gauge).isZero();
                    }
                });
    }

    /** Returns the number of segments of partition 0. */
    static long segments(BrokerProcess broker, String topic) throws IOException {
        Path log = broker.logDirectory().resolve(topic + "-0");
        try (Stream<Path> files = Files.list(log)) {
            return files.filter(file -> file.toString().endsWith(".log")).count();
        }
    }
}
