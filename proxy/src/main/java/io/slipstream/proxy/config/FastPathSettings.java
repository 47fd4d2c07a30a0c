// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.config;

import io.slipstream.link.settings.ControlPorts;
import io.slipstream.link.settings.LinkSettings;
import io.slipstream.link.settings.TransportSettings;
import java.nio.file.Path;
import java.util.Objects;

/**
 * How the fast path behaves; validated where the configuration is read.
 *
 * @param enabled the initial position of the run-time switch
 * @param link how its links are set up and used
 * @param linkWaitNs longest wait of a request for the link, which takes long right after a start
 * @param bindWaitNs longest wait of a request for the link and the session
 * @param locateWaitNs longest wait of a fetch for the plugin to find its offsets
 * @param readBufferBytes most bytes that one event loop has in buffers of unanswered fetches
 * @param partitionsPerFetch largest fetch that is served
 * @param fetchSessionsPerLoop most fetch sessions that an event loop keeps
 */
public record FastPathSettings(
        boolean enabled,
        LinkSettings link,
        long linkWaitNs,
        long bindWaitNs,
        long locateWaitNs,
        long readBufferBytes,
        int partitionsPerFetch,
        int fetchSessionsPerLoop) {
    public FastPathSettings {
        Objects.requireNonNull(link, "link");
        if (partitionsPerFetch < 1 || fetchSessionsPerLoop < 0 || readBufferBytes < 1) {
            throw new IllegalArgumentException("bounds of the fast path must be positive");
        }
    }

    /**
     * Bounds and times that are right unless something else was measured; clients wait for a part of what the plugin is
     * given.
     */
    public static FastPathSettings of(
            boolean enabled,
            TransportSettings transport,
            Path directory,
            ControlPorts controlPorts,
            long controlTimeoutNs) {
        return new FastPathSettings(
                enabled,
                LinkSettings.of(transport, directory, controlPorts, controlTimeoutNs),
                controlTimeoutNs / 20,
                controlTimeoutNs / 5,
                controlTimeoutNs / 10,
                128L << 20,
                1024,
                4096);
    }
}
