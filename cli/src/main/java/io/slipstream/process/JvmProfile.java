// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.util.List;

/** Flags of a child JVM by purpose. */
public enum JvmProfile {
    /** Functional tests: fast start and low resource use. Not for measurements. */
    FAST_START(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")),
    /** Brokers in measurements and real use: the flags of Kafka's start script. */
    PRODUCTION(List.of(
            "-XX:+UseG1GC",
            "-XX:MaxGCPauseMillis=20",
            "-XX:InitiatingHeapOccupancyPercent=35",
            "-XX:+ExplicitGCInvokesConcurrent",
            "-Xshare:auto")),
    /** Proxies in measurements and real use: the flags of {@code ./slipstream proxy}. */
    SIDECAR(List.of("-XX:+UseSerialGC", "-Xshare:auto"));

    private final List<String> flags;

    JvmProfile(List<String> flags) {
        this.flags = flags;
    }

    /** Returns the flags in command-line order. */
    public List<String> flags() {
        return flags;
    }
}
