// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.it.Tool;
import io.slipstream.process.PathCounts;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** kcat: librdkafka, as Debian ships it. */
@ExtendWith(Serving.Extension.class)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class KcatIT {
    private static final int RECORDS = 5_000;

    @BeforeAll
    static void requireKcat() {
        Tool.require("kcat", "kafkacat");
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void shouldProduceAndConsume(String codec, Serving serving) throws Exception {
        String topic = serving.newTopic("kcat-" + codec, 3);
        List<String> values = Delivery.values("kcat", RECORDS);
        PathCounts before = serving.counts();

        ToolRun.of(List.of("kcat", "-b", serving.proxyBootstrap(), "-t", topic, "-P", "-p", "-1", "-z", codec), values)
                .succeeded();
        ToolRun consumed = ToolRun.of(
                        List.of(
                                "kcat",
                                "-b",
                                serving.proxyBootstrap(),
                                "-t",
                                topic,
                                "-C",
                                "-o",
                                "beginning",
                                "-e",
                                "-q",
                                "-f",
                                "%p\\t%s\\n"),
                        List.of())
                .succeeded();

        Delivery.assertExact(consumed.output(), values);
        PathCounts counts = serving.counts().since(before);
        Delivery.assertByRdma(counts, RECORDS, RECORDS);
        // One read from start to end; empty fetches at the end do not count.
        assertThat(counts.rdmaFetched() + counts.tcpFetched()).as("%s", counts).isEqualTo(RECORDS);
    }
}
