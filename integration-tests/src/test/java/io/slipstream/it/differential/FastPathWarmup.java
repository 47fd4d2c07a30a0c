// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.awaitility.Awaitility.await;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Moves a connection onto the fast path before a script uses it. Session binding runs concurrently with the first
 * requests, which may therefore go over TCP. It produces to and fetches from its own topic until the proxy's metrics
 * show one of each by RDMA, so that the script's paths do not depend on timing.
 */
final class FastPathWarmup {
    private static final Duration PATIENCE = Patience.ofSeconds(15);
    private static final byte[] VALUE = "warm-up".getBytes(StandardCharsets.US_ASCII);

    private final RequestFrame produce;
    private final RequestFrame fetch;

    FastPathWarmup(TopicRef topic) {
        produce = ProduceRequests.version(ProduceRequests.NEWEST, 1)
                .add(topic, 0, Batches.of(VALUE))
                .frame();
        fetch = FetchRequests.version(FetchRequests.NEWEST).add(topic, 0, 0).frame();
    }

    /**
     * Exchanges the same requests in each arm, and waits for RDMA only where it is on. Returns the requests by path.
     */
    RequestCounts accelerate(Arm arm, RawClient client) throws IOException {
        if (!arm.kind().byRdma()) {
            exchange(client);
            return RequestCounts.NONE;
        }
        RequestCounts atFirst = RequestCounts.read(arm);
        // Each reading costs a metrics page, so none is repeated.
        RequestCounts[] last = {atFirst};
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .alias("a Produce and a Fetch by RDMA on a new connection")
                .until(() -> {
                    RequestCounts before = last[0];
                    exchange(client);
                    last[0] = RequestCounts.read(arm);
                    RequestCounts byRdma = last[0].minus(before);
                    return byRdma.byRdma(ApiKeys.PRODUCE) > 0 && byRdma.byRdma(ApiKeys.FETCH) > 0;
                });
        return last[0].minus(atFirst);
    }

    private void exchange(RawClient client) throws IOException {
        client.send(produce);
        client.receive();
        client.send(fetch);
        client.receive();
    }
}
