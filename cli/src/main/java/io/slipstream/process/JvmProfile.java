// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.util.List;

/** Flags of a child JVM by what it is started for. */
public enum JvmProfile {
    /** Functional tests: quick to start, frugal with the machine, never to be measured. */
    FAST_START(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")),
    /** Measurements and real use of brokers: what Kafka's own start script sets. */
    PRODUCTION(List.of(
            "-XX:+UseG1GC",
            "-XX:MaxGCPauseMillis=20",
            "-XX:InitiatingHeapOccupancyPercent=35",
            "-XX:+ExplicitGCInvokesConcurrent",
            "-Xshare:auto")),
    /** Measurements and real use of proxies: what {@code ./slipstream proxy} sets. */
    SIDECAR(List.of("-XX:+UseSerialGC", "-Xshare:auto"));

    private final List<String> flags;

    JvmProfile(List<String> flags) {
        this.flags = flags;
    }

    /** In the order of the command line. */
    public List<String> flags() {
        return flags;
    }
}
