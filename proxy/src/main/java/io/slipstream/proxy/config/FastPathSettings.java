// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.config;

import io.slipstream.link.settings.ControlPorts;
import io.slipstream.link.settings.LinkSettings;
import io.slipstream.link.settings.TransportSettings;
import java.nio.file.Path;

/**
 * Settings of the fast path, already validated.
 *
 * @param enabled the initial state of the run-time switch
 * @param link settings of its links
 * @param linkWaitNs longest wait of a request for the link, which takes long after a start
 * @param bindWaitNs longest wait of a request for the link and the session
 * @param locateWaitNs longest wait of a fetch for the plugin's Locate answers
 * @param partitionsPerFetch largest number of partitions of a fetch that is served
 * @param fetchSessionBytesPerLoop largest memory of the fetch sessions of an event loop
 */
public record FastPathSettings(
        boolean enabled,
        LinkSettings link,
        long linkWaitNs,
        long bindWaitNs,
        long locateWaitNs,
        int partitionsPerFetch,
        int fetchSessionBytesPerLoop) {
    /** Settings with default bounds and times. Clients wait for a fraction of the plugin's deadline. */
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
                1024,
                16 << 20);
    }
}
