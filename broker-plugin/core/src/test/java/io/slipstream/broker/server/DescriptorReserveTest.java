// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import io.slipstream.broker.client.ControlClient;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A tight limit of descriptors, set to this process. */
@Timeout(60)
class DescriptorReserveTest extends PluginServerFixture {
    private final UnixOperatingSystemMXBean system =
            (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    @Test
    void shouldKeepHalfOfTheDescriptorsForTheBroker() throws Exception {
        long usual = system.getMaxFileDescriptorCount();
        try (ControlClient control = new ControlClient(socket)) {
            control.ask(new ControlRequest.Hello("proxy", "1"), ControlResponse.Hello.class);
            limit(system.getOpenFileDescriptorCount() * 3 / 2);
            ControlResponse.OpenLink refused = open(control);
            assertThat(refused.error()).isEqualTo(ControlError.LIMIT);
            assertThat(refused.message()).contains("kept for the broker");
            assertThat(counters.registry.value(PluginMeter.DESCRIPTORS_OPEN))
                    .isGreaterThan(counters.registry.value(PluginMeter.DESCRIPTORS_LIMIT))
                    .isLessThan(2 * counters.registry.value(PluginMeter.DESCRIPTORS_LIMIT));

            limit(usual);
            assertThat(open(control).error()).isEqualTo(ControlError.NONE);
        } finally {
            limit(usual);
        }
    }

    private static ControlResponse.OpenLink open(ControlClient control) throws Exception {
        return control.ask(new ControlRequest.OpenLink(4096, 8), ControlResponse.OpenLink.class);
    }

    /** Sets the soft limit. */
    private static void limit(long descriptors) throws Exception {
        Process prlimit = new ProcessBuilder(
                        "prlimit", "--pid=" + ProcessHandle.current().pid(), "--nofile=" + descriptors + ":")
                .inheritIO()
                .start();
        assertThat(prlimit.waitFor()).isZero();
    }
}
