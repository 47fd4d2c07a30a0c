package io.slipstream.broker.server;

import io.slipstream.broker.config.HostPort;
import io.slipstream.broker.config.PluginConfig;
import io.slipstream.broker.config.PluginKeys;
import io.slipstream.broker.fetch.LogDirectories;
import io.slipstream.broker.kafka.BrokerHandle;
import io.slipstream.broker.landing.LandableLogs;
import io.slipstream.broker.landing.LandingTable;
import io.slipstream.broker.landing.LoopbackAdder;
import io.slipstream.broker.landing.SegmentLandings;
import io.slipstream.broker.landing.SharedLandings;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.rdma.RdmaDevice;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides at the start whether batches may be placed in segments. */
final class LandingChoice {
    private static final Logger log = LoggerFactory.getLogger(LandingChoice.class);

    private LandingChoice() {}

    /** What has batches placed as the configuration says. Throws IOException if the device cannot reserve for the broker. */
    static SegmentLandings open(LandableLogs logs, BrokerHandle broker, RdmaDevice device, PluginMeters counters)
            throws IOException {
        PluginConfig config = broker.config();
        if (!config.landing().equals("shared")) {
            return new LandingTable(logs, config.landingBounds(), counters);
        }
        LoopbackAdder adder = null;
        if (device.provider().equals(DeviceChoice.VERBS)) {
            String host =
                    config.rdmaAddress() == null ? "" : config.rdmaAddress().host();
            adder = LoopbackAdder.open(device, new HostPort(host, 0).toString());
        }
        return new SharedLandings(logs, config.landingBounds(), counters, adder);
    }

    /** Null if they may, else why not; logged where somebody asked for it. */
    static String refusal(PluginConfig config, String provider, LogDirectories directories) {
        if (!config.landing().equals("segment") && !config.landing().equals("shared")) {
            return PluginKeys.LANDING + "=" + config.landing() + ": batches take the ring";
        }
        String refusal = config.untrustedListeners(provider).isAll()
                ? PluginKeys.UNTRUSTED_LISTENERS + "=* wants every batch copied before it is validated"
                : directories.writeRefusal();
        if (refusal == null) {
            log.info("Batches are placed in segments, {}={}", PluginKeys.LANDING, config.landing());
        } else {
            log.warn("{}={} is not possible, batches take the ring: {}", PluginKeys.LANDING, config.landing(), refusal);
        }
        return refusal;
    }
}
