// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import io.slipstream.broker.config.PluginConfig;
import io.slipstream.broker.config.PluginKeys;
import io.slipstream.broker.config.RetiredKeys;
import io.slipstream.broker.hook.BrokerListener;
import io.slipstream.broker.hook.HookInstaller;
import io.slipstream.broker.kafka.KafkaLine;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.broker.session.ObservedChannel;
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.broker.session.SessionTable;
import java.io.IOException;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life cycle of the plugin in one JVM, driven by the hooks. After any failure the plugin logs one line and becomes
 * inert, and the broker continues.
 *
 * <pre>
 *   WAITING ──broker started──▶ SERVING ──broker stops──▶ WAITING
 *      └──(switched off, hooks do not match, bad setting, no directory, …)──▶ INERT
 * </pre>
 *
 * An inert plugin removes its hooks from the broker if it never served. It ignores a second broker in the same JVM.
 */
public final class BrokerPlugin implements BrokerListener {
    private static final Logger log = LoggerFactory.getLogger(BrokerPlugin.class);
    /** Longest time that the broker's shutdown waits for the plugin's. The end of the process does the rest. */
    private static final long STOP_MS = 2_000;

    private final KafkaLine line;
    private final HookInstaller hooks;
    private final PluginMeters counters = new PluginMeters();
    private volatile SessionTable sessions;
    private PluginServer server;
    private MeterExposition shown;
    private volatile Object servedBroker;
    private boolean inert;

    /** @param hooks verified before the plugin serves the first broker, and removed if it does not serve */
    public BrokerPlugin(KafkaLine line, HookInstaller hooks) {
        this.line = line;
        this.hooks = hooks;
        counters.registry().supply(() -> sessions == null ? 0 : 1, PluginMeter.SERVING);
        String version = BrokerPlugin.class.getPackage().getImplementationVersion();
        counters.registry()
                .count(PluginMeter.BUILD_INFO, version == null ? "dev" : version, line.name())
                .increment();
    }

    @Override
    public synchronized void onStarted(Object brokerServer) {
        if (inert) {
            return;
        } else if (servedBroker != null) {
            log.info("Slipstream serves another broker of this process and ignores this one");
            return;
        }
        try {
            String mismatch = hooks.verify();
            if (mismatch != null) {
                becomeInert(mismatch);
                return;
            }
            Map<String, Object> originals = line.originals(brokerServer);
            PluginConfig config = PluginConfig.of(originals);
            for (String key : RetiredKeys.in(originals.keySet())) {
                log.warn("{} is ignored: {}", key, RetiredKeys.sentence(key));
            }
            if (!config.enabled()) {
                log.info("Slipstream is switched off by {}", PluginKeys.ENABLED);
                leave();
                return;
            }
            servedBroker = brokerServer;
            // Open the meters before the start, so that they can report a failed start.
            shown = MeterExposition.open(config.metricsAddress(), counters);
            try {
                server = PluginServer.start(line, line.describe(brokerServer, originals), counters);
                sessions = server.sessions();
                hooks.keep();
            } finally {
                shown.publish(line);
            }
        } catch (ConfigException | IOException e) {
            becomeInert(e.getMessage());
        } catch (Throwable e) {
            becomeInert(e.toString());
            log.debug("Slipstream could not start", e);
        }
    }

    /** Logs the single line that gives operators the reason why RDMA is not available. */
    private void becomeInert(String reason) {
        log.error("Slipstream is inert, this broker serves without it: {}", reason);
        leave();
    }

    /** Removes the hooks from the broker, unless the plugin has served a broker of this process. */
    private void leave() {
        inert = true;
        String failure = hooks.remove();
        if (failure != null) {
            log.warn("Some of Slipstream's hooks could not be removed; they have no effect: {}", failure);
        }
    }

    @Override
    public void onStopping(Object socketServer) {
        Object broker = servedBroker;
        if (broker == null || !line.isServerOf(broker, socketServer)) {
            return;
        }
        Thread stopper = new Thread(this::stop, "slipstream-stop");
        stopper.setDaemon(true);
        stopper.start();
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
        sessions = null;
        if (shown != null) {
            shown.close();
            shown = null;
        }
        if (server != null) {
            server.close();
            server = null;
        }
        servedBroker = null;
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
