// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import io.slipstream.broker.config.PluginConfig;
import io.slipstream.broker.config.PluginKeys;
import io.slipstream.broker.config.RetiredKeys;
import io.slipstream.broker.hook.BrokerListener;
import io.slipstream.broker.hook.HookInstaller;
import io.slipstream.broker.kafka.BrokerHandle;
import io.slipstream.broker.kafka.KafkaLine;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.broker.session.ObservedChannel;
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.broker.session.SessionTable;
import java.io.IOException;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life cycle of the plugin in one JVM, driven by the hooks and by the broker's settings. After any failure the
 * plugin logs one line and becomes inert, and the broker continues.
 *
 * <pre>
 *   WAITING ──broker started──▶ SERVING ◀──slipstream.* altered──▶ IDLE: switched off, or inert because
 *      ▲                           │                              hooks do not match, no directory, …
 *      └───────broker stops────────┘
 * </pre>
 *
 * An idle plugin has no hooks in the broker. It ignores a second broker in the same JVM.
 */
public final class BrokerPlugin implements BrokerListener {
    private static final Logger log = LoggerFactory.getLogger(BrokerPlugin.class);
    /** Longest time that the broker's shutdown waits for the plugin's. The end of the process does the rest. */
    private static final long STOP_MS = 1_000;

    private final KafkaLine line;
    private final HookInstaller hooks;
    private final PluginMeters counters = new PluginMeters();
    private volatile SessionTable sessions;
    private volatile Object broker;
    /** Whether that broker stops. It says so twice. */
    private volatile boolean stopping;
    /** The broker's settings since the last change of the plugin's keys; null if none was altered. */
    private volatile Map<String, Object> altered;

    private Runnable unfollow;
    private PluginServer server;
    private AutoCloseable replication;

    private MeterExposition shown;
    /** The settings by which the plugin serves; null while it does not. */
    private PluginConfig served;

    /** @param hooks verified before the plugin serves, and removed while it does not */
    public BrokerPlugin(KafkaLine line, HookInstaller hooks) {
        this.line = line;
        this.hooks = hooks;
        counters.registry.supply(() -> sessions == null ? 0 : 1, PluginMeter.SERVING);
        String version = BrokerPlugin.class.getPackage().getImplementationVersion();
        counters.registry
                .count(PluginMeter.BUILD_INFO, version == null ? "dev" : version, line.name())
                .increment();
    }

    @Override
    public synchronized void onStarted(Object brokerServer) {
        if (broker != null) {
            log.info("Slipstream serves another broker of this process and ignores this one");
            return;
        }
        String mismatch = hooks.verify();
        if (mismatch != null) {
            becomeInert(mismatch);
            return;
        }
        broker = brokerServer;
        apply();
    }

    /** Stops and starts again if the settings have changed. While it is switched off, nothing of it is left. */
    private synchronized void apply() {
        if (broker == null) {
            return;
        }
        try {
            if (unfollow == null) {
                unfollow = line.follow(broker, PluginKeys.DEFINITION.names(), PluginConfig::of, settings -> {
                    altered = settings;
                    // The broker's thread holds a lock of the settings.
                    inBackground("slipstream-alter", this::apply);
                });
            }
            Map<String, Object> settings = altered == null ? line.originals(broker) : altered;
            PluginConfig config = PluginConfig.of(settings);
            if (config.equals(served)) {
                return;
            }
            RetiredKeys.SENTENCES.forEach((key, sentence) -> {
                if (settings.containsKey(key)) {
                    log.warn("{} is ignored: {}", key, sentence);
                }
            });
            if (server != null) {
                server.leaveToTcp();
            }
            stopServing();
            if (config.enabled()) {
                start(config, settings);
            } else {
                log.info("Slipstream is switched off by {}", PluginKeys.ENABLED);
                removeHooks();
            }
        } catch (ConfigException | IOException e) {
            becomeInert(e.getMessage());
        } catch (Throwable e) {
            becomeInert(e.toString());
            log.debug("Slipstream could not start", e);
        }
    }

    private void start(PluginConfig config, Map<String, Object> settings) throws IOException {
        String mismatch = hooks.weave();
        if (mismatch != null) {
            throw new IOException(mismatch);
        }
        // Open the meters before the start, so that they can report a failed start.
        shown = new MeterExposition(config.metricsAddress(), counters);
        try {
            BrokerHandle handle = line.describe(broker, settings);
            server = PluginServer.start(line, handle, counters);
            sessions = server.sessions;
            served = config;
            replication = config.replicates() ? line.replicate(handle, hooks, counters) : null;
        } finally {
            shown.publish(line);
        }
    }

    private void stopServing() {
        Utils.closeQuietly(replication, "replication by RDMA");
        replication = null;
        sessions = null;
        served = null;
        Utils.closeQuietly(shown, "the plugin's meters");
        shown = null;
        Utils.closeQuietly(server, "the plugin's server");
        server = null;
    }

    /** Logs the single line that gives operators the reason why RDMA is not available. */
    private void becomeInert(String reason) {
        log.error("Slipstream is inert, this broker serves without it: {}", reason);
        if (server != null) {
            stopServing();
        }
        removeHooks();
    }

    private void removeHooks() {
        String failure = hooks.remove();
        if (failure != null) {
            log.warn("Some of Slipstream's hooks could not be removed; they have no effect: {}", failure);
        }
    }

    @Override
    public void onStopping(Object socketServer) {
        Object known = broker;
        if (known == null || stopping || !line.isServerOf(known, socketServer)) {
            return;
        }
        stopping = true;
        Thread stopper = inBackground("slipstream-stop", this::stop);
        try {
            stopper.join(STOP_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (stopper.isAlive()) {
            log.warn("Slipstream has not stopped within {} ms, the broker's shutdown goes on", STOP_MS);
        }
    }

    private synchronized void stop() {
        stopServing();
        line.release();
        if (unfollow != null) {
            unfollow.run();
            unfollow = null;
        }
        altered = null;
        broker = null;
        stopping = false;
    }

    private static Thread inBackground(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Override
    public void onApiVersions(Object request) {
        SessionTable table = sessions;
        if (table != null) {
            ObservedConnection connection = line.observe(request);
            if (connection != null) {
                table.onApiVersions(connection);
            }
        }
    }

    @Override
    public void onReceived(Object channel) {
        SessionTable table = sessions;
        if (table != null && table.awaitsConnections()) {
            ObservedChannel observed = line.observeChannel(channel);
            if (observed != null) {
                table.onReceived(observed);
            }
        }
    }

    @Override
    public void onDisconnect(String connectionId) {
        SessionTable table = sessions;
        if (table != null) {
            table.onDisconnect(connectionId);
        }
    }

    @Override
    public void onHookError(String hook, Throwable error) {
        counters.increment(PluginMeter.HOOK_ERRORS);
        if (counters.get(PluginMeter.HOOK_ERRORS) == 1) {
            log.error(
                    "Slipstream's hook {} failed. This and later failures are counted and do not affect the broker",
                    hook,
                    error);
        }
    }
}
