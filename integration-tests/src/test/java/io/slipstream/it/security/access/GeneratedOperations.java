// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.RawResponse;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.it.Seed;
import io.slipstream.it.generated.ApiVersion;
import io.slipstream.it.generated.GeneratedScript;
import io.slipstream.it.generated.Names;
import io.slipstream.it.generated.NamesSetup;
import io.slipstream.process.MetricSamples;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;

/** Requests of many APIs by one user, right and wrong ones. The answers are one text. */
final class GeneratedOperations {
    /** Connections send these to get onto the ring. */
    private static final Set<ApiKeys> OF_WARM_UP = EnumSet.of(ApiKeys.PRODUCE, ApiKeys.METADATA);

    private GeneratedOperations() {}

    static AccessCase.Script generated(List<ApiVersion> versions) {
        return client -> {
            AccessStage stage = client.stage();
            Names names = NamesSetup.create(
                    stage.broker(),
                    Resources.generatedPrefix(stage.name(), client.path()) + NamesSetup.newOwn(),
                    client.topic(Resources.Topic.READABLE),
                    client.topic(Resources.Topic.CHANGED),
                    versions);
            MetricSamples before = stage.metrics();
            StringBuilder answers = new StringBuilder();
            new GeneratedScript(names, new Random(Seed.ofRun()), AccessText::of)
                    .run(
                            versions,
                            frame -> call(client, frame),
                            (label, text) -> answers.append(label)
                                    .append(": ")
                                    .append(text)
                                    .append('\n'));
            if (client.path() == AccessPath.PROXY_RDMA) {
                verifyPaths(versions, before, stage.metrics());
            }
            return answers.toString();
        };
    }

    private static RawResponse call(AccessClient client, RequestFrame frame) throws IOException {
        client.raw().send(frame);
        try {
            return client.raw().receive();
        } catch (EOFException | SocketException closed) {
            client.reconnect();
            return null;
        }
    }

    private static void verifyPaths(List<ApiVersion> versions, MetricSamples before, MetricSamples after) {
        for (ApiVersion each : versions) {
            if (each.isCarried()) {
                assertThat(increase(each.api(), "rdma", before, after))
                        .as("%s requests by RDMA", each.api())
                        .isPositive();
                if (!OF_WARM_UP.contains(each.api())) {
                    assertThat(increase(each.api(), "tcp", before, after))
                            .as("%s requests by TCP", each.api())
                            .isZero();
                }
            }
        }
    }

    private static long increase(ApiKeys api, String path, MetricSamples before, MetricSamples after) {
        String meter = "slipstream_requests_total";
        return after.count(meter, "api", api.name(), "path", path)
                - before.count(meter, "api", api.name(), "path", path);
    }
}
