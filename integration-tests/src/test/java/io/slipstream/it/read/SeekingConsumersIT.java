// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.it.Seed;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Twenty stock consumers seek everywhere in logs that are written, rolled, truncated and compacted meanwhile. {@code
 * -Dslipstream.read.seconds=N} reads for longer. {@code -Dslipstream.read.direct=true} runs without a proxy, to verify
 * the check. {@code -Dslipstream.planted=NAME} plants a bug in the proxy, to see the test fail.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class SeekingConsumersIT {
    private static final int SECONDS = Integer.getInteger("slipstream.read.seconds", 15);
    private static final boolean DIRECT = Boolean.getBoolean("slipstream.read.direct");

    @Test
    void shouldDeliverTheWrittenRecordsAtEveryOffset() throws Exception {
        try (BrokerProcess broker = withPlugin(BrokerProcess.builder(BrokerLine.NEWEST))
                        .property("log.initial.task.delay.ms", "500")
                        .property("log.retention.check.interval.ms", "300")
                        .property("log.cleaner.backoff.ms", "300")
                        .property("log.cleaner.dedupe.buffer.size", "4194304")
                        .start();
                ProxyProcess proxy =
                        DIRECT ? null : Planted.in(ProxyProcess.builder(broker)).start();
                ReadRun run = new ReadRun(broker.bootstrapServers(), Seed.ofRun())) {
            String bootstrap = DIRECT ? broker.bootstrapServers() : proxy.bootstrapServers();
            run.createTopics();
            run.write();
            run.read(bootstrap);
            TimeUnit.SECONDS.sleep(SECONDS);
            boolean complete = Deadline.after(Patience.ofSeconds(60))
                    .await(() -> run.isComplete() || run.findings().count() > 0);
            run.settle(bootstrap);

            System.out.printf("%,d records written; %s%n", run.written(), run.counts());
            assertThat(run.findings().first())
                    .as("%d findings", run.findings().count())
                    .isEmpty();
            assertThat(complete)
                    .as("all required events occurred: %s", run.counts())
                    .isTrue();
            assertThat(run.counts().seeks()).as("seeks").isGreaterThan(100);
            if (!DIRECT) {
                assertByRdma(proxy.metrics());
            }
        }
    }

    BrokerProcess.Builder withPlugin(BrokerProcess.Builder broker) {
        return broker.withAgent();
    }

    private static void assertByRdma(MetricSamples metrics) {
        long byRdma = metrics.count("slipstream_requests_total", "api", "FETCH", "path", "rdma");
        long byTcp = metrics.count("slipstream_requests_total", "api", "FETCH", "path", "tcp");
        System.out.printf("%,d fetches by RDMA, %,d by TCP: %s%n", byRdma, byTcp, fallbacks(metrics));
        assertThat(byRdma).as("fetches by RDMA, and %d by TCP", byTcp).isGreaterThan(4 * byTcp);
    }

    private static Map<String, Long> fallbacks(MetricSamples metrics) {
        return metrics.all().stream()
                .filter(sample -> sample.name().equals("slipstream_fallbacks_total")
                        && sample.value() > 0
                        && "FETCH".equals(sample.labels().getOrDefault("api", "FETCH")))
                .collect(Collectors.toMap(
                        sample -> sample.labels().get("reason"), sample -> Math.round(sample.value()), Long::sum));
    }
}
