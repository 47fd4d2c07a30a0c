// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import static org.awaitility.Awaitility.await;

import io.slipstream.broker.client.TestProvider;
import io.slipstream.broker.config.PluginConfig;
import io.slipstream.broker.config.TopicSet;
import io.slipstream.broker.kafka.BrokerHandle;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.broker.server.LeaderPlugin;
import io.slipstream.metrics.Label;
import io.slipstream.replication.ReplicationMeters.Fallback;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.ClientResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A fetcher with a real link to a leader's plugin. The connection of Kafka's own sender is scripted. */
abstract class FollowerFixture {
    static final Duration PATIENCE = Duration.ofSeconds(20);
    /** Far below the time for which a fetcher waits for an answer. */
    static final Duration AT_ONCE = Duration.ofSeconds(3);

    final LeaderLog log = new LeaderLog();
    final PluginMeters meters = new PluginMeters();
    final ReplicationMeters replicationMeters = new ReplicationMeters(meters.registry);
    /** Settings of the follower's broker. */
    final Map<String, Object> settings = new HashMap<>();

    LeaderPlugin plugin;
    LeaderLinks links;
    ScriptedSender sender;
    Fetcher fetcher;

    @BeforeEach
    void startBoth(@TempDir Path temporary) throws IOException {
        Path directory = temporary.resolve("s");
        settings.putAll(Map.of(
                "slipstream.directory", directory.toString(),
                "slipstream.provider", TestProvider.NAME,
                "slipstream.ring.bytes", LeaderPlugin.RING_BYTES,
                "slipstream.ring.credits", LeaderPlugin.CREDITS));
        plugin = new LeaderPlugin(directory, log::answer);
        sender = new ScriptedSender(plugin);
        startFollower();
    }

    void startFollower() {
        PluginConfig config = PluginConfig.of(settings);
        links = new LeaderLinks(
                new BrokerHandle(null, null, LeaderPlugin.CLUSTER, 1, 1, 1 << 20, 1 << 20, false, List.of(), config),
                replicationMeters);
        fetcher = fetcher(TopicSet.NONE);
    }

    @AfterEach
    void stopBoth() {
        fetcher.close();
        links.close();
        plugin.close();
    }

    Fetcher fetcher(TopicSet excluded) {
        return fetcher(excluded, "127.0.0.1");
    }

    Fetcher fetcher(TopicSet excluded, String host) {
        return fetcher(excluded, host, sender);
    }

    Fetcher fetcher(TopicSet excluded, String host, ScriptedSender own) {
        LeaderLinks.Leader link = links.to(LeaderPlugin.NODE, host);
        LeaderSession session = new LeaderSession(link.loop(), link.link(), own::sendRequest, LeaderPlugin.NODE, 0);
        return new Fetcher(session, "broker-1-fetcher-0", excluded, null, replicationMeters);
    }

    /** One fetch of the topic t; null if Kafka's sender must send it. */
    ClientResponse fetch() {
        return fetcher.send(LeaderLog.fetch("t"));
    }

    /** Fetches until one is answered by RDMA. */
    ClientResponse awaitRdma() {
        return await().atMost(PATIENCE).pollInSameThread().until(this::fetch, answer -> answer != null);
    }

    void awaitSessions(int count) {
        await().atMost(PATIENCE).until(() -> plugin.sessions() == count);
    }

    long fetches(String path) {
        return meters.registry.value(PluginMeter.REPLICATION_FETCHES, path);
    }

    long fallbacks(Fallback reason) {
        return meters.registry.value(PluginMeter.REPLICATION_FALLBACKS, Label.valueOf(reason));
    }
}
