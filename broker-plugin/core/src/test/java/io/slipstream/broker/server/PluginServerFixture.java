// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import io.slipstream.broker.client.TestProvider;
import io.slipstream.broker.metrics.PluginMeters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A plugin without Kafka's request handling, over real shared memory and a real control socket. */
abstract class PluginServerFixture {
    static final int CREDITS = 32;

    final long seed = Long.getLong("slipstream.seed", System.nanoTime());
    final PluginMeters counters = new PluginMeters();
    final EchoLine line = new EchoLine(seed);
    Path directory;
    PluginServer server;
    Path socket;

    @BeforeEach
    void start(@TempDir Path temporary) throws IOException {
        directory = temporary.resolve("s");
        server = start(Map.of());
        socket = directory.resolve("cluster.7.sock");
    }

    PluginServer start(Map<String, Object> settings) throws IOException {
        Map<String, Object> originals = new HashMap<>(Map.of(
                "slipstream.directory", directory.toString(),
                "slipstream.provider", TestProvider.NAME,
                "slipstream.control.address", "",
                "slipstream.ring.bytes", "65536",
                "slipstream.max.links", "4",
                "slipstream.max.sessions", "3",
                "slipstream.ring.credits", Integer.toString(CREDITS)));
        originals.putAll(settings);
        return PluginServer.start(line, line.describe(originals, originals), counters);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    void observe(String connectionId, String nonce) {
        server.sessions.onApiVersions(EchoLine.connection(connectionId, nonce));
    }
}
