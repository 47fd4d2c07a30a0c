// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.BrokerLine;
import io.slipstream.process.PathCounts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Kafka's command-line tools of the 4.3 distribution; those of 4.4 are not on Maven Central. */
@ExtendWith(Serving.Extension.class)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class JavaToolsIT {
    private static final int RECORDS = 5_000;
    private static final int PERFORMANCE_RECORDS = 100_000;

    @Test
    void shouldServeTheConsoleTools(Serving serving) throws Exception {
        String topic = serving.newTopic("console", 3);
        List<String> values = Delivery.values("console", RECORDS);
        PathCounts before = serving.counts();

        tool(values, "ConsoleProducer", "--bootstrap-server", serving.proxyBootstrap(), "--topic", topic);
        ToolRun consumed = tool(
                List.of(),
                "consumer.ConsoleConsumer",
                "--bootstrap-server",
                serving.proxyBootstrap(),
                "--topic",
                topic,
                "--group",
                topic,
                "--from-beginning",
                "--max-messages",
                Integer.toString(RECORDS),
                "--timeout-ms",
                "30000",
                "--formatter-property",
                "print.partition=true");

        Delivery.assertExact(consumed.output(), values);
        Delivery.assertByRdma(serving.counts().since(before), RECORDS, RECORDS);
    }

    @Test
    void shouldServeThePerformanceTools(Serving serving) throws Exception {
        String topic = serving.newTopic("performance", 3);
        PathCounts before = serving.counts();

        ToolRun produced = tool(
                List.of(),
                "ProducerPerformance",
                "--bootstrap-server",
                serving.proxyBootstrap(),
                "--topic",
                topic,
                "--num-records",
                Integer.toString(PERFORMANCE_RECORDS),
                "--record-size",
                "100",
                "--throughput",
                "-1");
        ToolRun consumed = tool(
                List.of(),
                "ConsumerPerformance",
                "--bootstrap-server",
                serving.proxyBootstrap(),
                "--topic",
                topic,
                "--num-records",
                Integer.toString(PERFORMANCE_RECORDS),
                "--timeout",
                "30000",
                "--hide-header");

        assertThat(produced.output()).contains(PERFORMANCE_RECORDS + " records sent");
        assertThat(Long.parseLong(consumed.output().strip().split(",\\s*")[4])).isEqualTo(PERFORMANCE_RECORDS);
        Delivery.assertByRdma(serving.counts().since(before), PERFORMANCE_RECORDS, PERFORMANCE_RECORDS);
    }

    private static ToolRun tool(List<String> input, String main, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                BrokerLine.KAFKA_4_3.classPath(),
                "org.apache.kafka.tools." + main));
        command.addAll(List.of(arguments));
        return ToolRun.of(command, input).succeeded();
    }
}
