package io.slipstream.broker.server;

import io.slipstream.broker.config.PluginConfig;
import io.slipstream.broker.config.PluginKeys;
import io.slipstream.broker.fetch.LogDirectories;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides at the start whether batches may be placed in segments. */
final class LandingChoice {
    private static final Logger log = LoggerFactory.getLogger(LandingChoice.class);

    private LandingChoice() {}

    /** Null if they may, else why not; logged where somebody asked for it. */
    static String refusal(PluginConfig config, LogDirectories directories) {
        if (!config.landing().equals("segment") && !config.landing().equals("shared")) {
            return PluginKeys.LANDING + "=" + config.landing() + ": batches take the ring";
        }
        String refusal = directories.writeRefusal();
        if (refusal == null) {
            log.info("Batches are placed in segments, {}={}", PluginKeys.LANDING, config.landing());
        } else {
            log.warn("{}={} is not possible, batches take the ring: {}", PluginKeys.LANDING, config.landing(), refusal);
        }
        return refusal;
    }
}
