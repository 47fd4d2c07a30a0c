// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import com.sun.management.UnixOperatingSystemMXBean;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.metrics.MeterRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Keeps half of the process's descriptors (RLIMIT_NOFILE) for the broker. A broker that finds none for its own log
 * ends. Links take some each. Regions of segments take none once they are passed.
 */
public final class DescriptorReserve {
    /** A count reads a directory with all descriptors. Meanwhile links take a few hundred of them at most. */
    private static final long COUNT_VALID_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private static long open;
    private static long countedAtNs = System.nanoTime() - COUNT_VALID_NS;

    private DescriptorReserve() {}

    /** Throws if a link must not take descriptors. */
    static synchronized void check() throws IOException {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            long nowNs = System.nanoTime();
            if (nowNs - countedAtNs >= COUNT_VALID_NS) {
                countedAtNs = nowNs;
                open = system.getOpenFileDescriptorCount();
            }
            if (open >= forLinks(system)) {
                throw new IOException("the broker's process has " + open + " of " + system.getMaxFileDescriptorCount()
                        + " descriptors open, and half of them are kept for the broker (ulimit -n)");
            }
        }
    }

    /** Shows open descriptors and their limit until the result is closed, as far as the JVM knows them. */
    public static AutoCloseable meter(MeterRegistry registry) {
        if (!(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system)) {
            return () -> {};
        }
        List<MeterRegistry.Registration> gauges = List.of(
                registry.supply(system::getOpenFileDescriptorCount, PluginMeter.DESCRIPTORS_OPEN),
                registry.supply(() -> forLinks(system), PluginMeter.DESCRIPTORS_LIMIT));
        return () -> gauges.forEach(MeterRegistry.Registration::close);
    }

    /** The limit can change while the process runs (prlimit). */
    private static long forLinks(UnixOperatingSystemMXBean system) {
        return system.getMaxFileDescriptorCount() / 2;
    }
}
