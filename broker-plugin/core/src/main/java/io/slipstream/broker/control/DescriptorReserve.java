// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;

/**
 * Keeps half of the process's descriptors (RLIMIT_NOFILE) for the broker. A broker that finds none for its own log
 * ends. Links take some each. Regions of segments take none once they are passed.
 */
final class DescriptorReserve {
    private DescriptorReserve() {}

    /** Throws if a link must not take descriptors. */
    static void check() throws IOException {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            long open = system.getOpenFileDescriptorCount();
            long most = system.getMaxFileDescriptorCount();
            if (open >= most / 2) {
                throw new IOException("the broker's process has " + open + " of " + most
                        + " descriptors open, and half of them are kept for the broker (ulimit -n)");
            }
        }
    }
}
