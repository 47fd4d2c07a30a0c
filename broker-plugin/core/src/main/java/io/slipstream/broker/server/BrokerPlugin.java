package io.slipstream.broker.server;

import io.slipstream.broker.config.PluginConfig;
import io.slipstream.broker.config.PluginKeys;
import io.slipstream.broker.hook.BrokerListener;
import io.slipstream.broker.kafka.KafkaLine;
import io.slipstream.broker.metrics.PluginCounters;
import io.slipstream.broker.metrics.PluginCounters.Counter;
import io.slipstream.broker.session.ObservedChannel;
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.broker.session.SessionTable;
import java.io.IOException;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.config.ConfigException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plugin's life in one JVM, driven by the hooks. Whatever goes wrong, the broker goes on: one line in its log, then inert.
 *
 * <pre>
 *   WAITING ──broker started──▶ SERVING ──broker stops──▶ WAITING
 *      └──(hooks do not match, bad setting, no directory, …)──▶ INERT
 * </pre>
 *
 * A second broker of the same JVM is left alone.
 */
public final class BrokerPlugin implements BrokerListener {
    private static final Logger log = LoggerFactory.getLogger(BrokerPlugin.class);

    private final KafkaLine line;
    private final Supplier<String> hooksVerified;
    private final PluginCounters counters = new PluginCounters();
    private volatile SessionTable sessions;
    private PluginServer server;
    private Object servedBroker;
    private boolean inert;

    /** @param hooksVerified null if all hooks are in place, else why not; asked before the first broker is served */
    public BrokerPlugin(KafkaLine line, Supplier<String> hooksVerified) {
        this.line = line;
        this.hooksVerified = hooksVerified;
    }

    @Override
    public synchronized void onStarted(Object brokerServer) {
        if (inert) {
            return;
        } else if (server != null) {
            log.info("Slipstream serves another broker of this process and leaves this one alone");
            return;
        }
        try {
            String mismatch = hooksVerified.get();
            if (mismatch != null) {
                becomeInert(mismatch);
                return;
            }
            Map<String, Object> originals = line.originals(brokerServer);
            if (!PluginConfig.of(originals).enabled()) {
                log.info("Slipstream is switched off by {}", PluginKeys.ENABLED);
                return;
            }
            server = PluginServer.start(line, line.describe(brokerServer, originals), counters);
            sessions = server.sessions();
            servedBroker = brokerServer;
        } catch (ConfigException | IOException e) {
            becomeInert(e.getMessage());
        } catch (Throwable e) {
            becomeInert(e.toString());
            log.debug("Slipstream could not start", e);
        }
    }

    /** The one line that tells operators why nothing goes by RDMA. */
    private void becomeInert(String reason) {
        inert = true;
        log.error("Slipstream is inert, this broker serves without it: {}", reason);
    }

    @Override
    public synchronized void onStopping(Object brokerServer) {
        if (server != null && servedBroker == brokerServer) {
            sessions = null;
            server.close();
            server = null;
            servedBroker = null;
        }
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
        counters.increment(Counter.HOOK_ERRORS);
        if (counters.get(Counter.HOOK_ERRORS) == 1) {
            log.error(
                    "Slipstream's hook {} failed; this and later failures are counted and change nothing for the broker",
                    hook,
                    error);
        }
    }
}
