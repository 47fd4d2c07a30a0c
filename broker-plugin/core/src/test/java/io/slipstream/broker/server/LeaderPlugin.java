// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import io.slipstream.broker.client.TestProvider;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The plugin of a leader, over real shared memory and a real control socket, for tests of followers. The test says what
 * the leader answers. Methods are called by the test's thread, except where noted.
 */
public final class LeaderPlugin implements AutoCloseable {
    /** That of {@link EchoLine}. */
    public static final String CLUSTER = "cluster";

    public static final int NODE = 7;

    /** Less than a follower asks for where the settings allow more. */
    public static final String RING_BYTES = "65536";

    public static final String CREDITS = "16";

    public final PluginMeters meters = new PluginMeters();
    private final Map<String, Object> settings = new HashMap<>();
    private final EchoLine line = new EchoLine(1);
    private PluginServer server;

    /** @param answers makes the answer from a request; on a handler's thread */
    public LeaderPlugin(Path directory, UnaryOperator<ByteBuffer> answers) throws IOException {
        settings.putAll(Map.of(
                "slipstream.directory",
                directory.toString(),
                "slipstream.provider",
                TestProvider.NAME,
                "slipstream.control.address",
                "",
                "slipstream.ring.bytes",
                RING_BYTES,
                "slipstream.ring.credits",
                CREDITS,
                "slipstream.max.links",
                "4",
                "slipstream.max.sessions",
                "8"));
        line.answersAtOnce = true;
        line.answer = answers;
        start();
    }

    /** Sets a setting for the next {@link #start}. */
    public void set(String key, String value) {
        settings.put(key, value);
    }

    public void start() throws IOException {
        server = PluginServer.start(line, line.describe(settings, settings), meters);
    }

    /** Keeps all later answers, or gives those that it has kept. */
    public void withhold(boolean keeps) {
        line.withholds = keeps;
        if (!keeps) {
            line.answerWithheld();
        }
    }

    /** Any thread: a connection to the leader shows this nonce. */
    public void show(String connectionId, String nonce) {
        server.sessions.onApiVersions(EchoLine.connection(connectionId, nonce));
    }

    /** A connection to the leader ends. */
    public void disconnect(String connectionId) {
        server.sessions.onDisconnect(connectionId);
    }

    public long sessions() {
        return meters.get(PluginMeter.SESSIONS_BOUND) - meters.get(PluginMeter.SESSIONS_ENDED);
    }

    /** Ends all links at once. */
    @Override
    public void close() {
        server.close();
    }
}
