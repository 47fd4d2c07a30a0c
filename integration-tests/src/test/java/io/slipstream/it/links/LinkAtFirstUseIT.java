// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.links;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A proxy opens a link when a client comes to the broker's port, and for nobody else. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class LinkAtFirstUseIT {
    /** A link that was opened with the ports would be up by then. */
    private static final int OBSERVED_MS = 2_000;

    private static long links(ProxyProcess proxy) {
        return proxy.metrics().count("slipstream_links_up");
    }

    @Test
    void shouldOpenALinkForTheFirstClientOfABroker() throws Exception {
        try (BrokerProcess broker =
                        BrokerProcess.builder(BrokerLine.NEWEST).withAgent().start();
                ProxyProcess proxy = ProxyProcess.builder(broker).start()) {
            assertThat(Deadline.after(Patience.ofSeconds(20)).await(() -> Files.exists(broker.pluginSocket())))
                    .isTrue();
            MetadataResponseBroker node = RawTopics.onlyBroker(proxy.bootstrapServers());
            boolean opened =
                    Deadline.after(Duration.ofMillis(Patience.ms(OBSERVED_MS))).await(() -> links(proxy) > 0);
            assertThat(opened)
                    .as("a link without a client on the broker's port")
                    .isFalse();

            try (RawClient first = RawClient.connect(node.host() + ':' + node.port())) {
                assertThat(first.localAddress()).isNotNull();
                assertThat(Deadline.after(Patience.ofSeconds(20)).await(() -> links(proxy) == 1))
                        .as("a link%s", proxy.logTail())
                        .isTrue();
            }
        }
    }
}
