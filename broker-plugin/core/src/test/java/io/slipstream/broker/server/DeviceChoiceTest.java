// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.slipstream.broker.config.PluginConfig;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaProvider;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DeviceChoiceTest {
    private static Optional<String> verbsUnavailable() {
        return RdmaProvider.named("verbs").orElseThrow().unavailableReason();
    }

    @Test
    void shouldTakeSharedMemoryWhereThereIsNoDevice() throws IOException {
        assumeThat(verbsUnavailable()).isPresent();
        try (RdmaDevice device = DeviceChoice.open(PluginConfig.of(Map.of("slipstream.rdma.device", "mlx5_0")))) {
            assertThat(device.provider()).isEqualTo("shm");
        }
    }

    @Test
    void shouldTakeTheDeviceWhereThereIsOne() throws IOException {
        assumeThat(verbsUnavailable()).isEmpty();
        try (RdmaDevice device = DeviceChoice.open(PluginConfig.of(Map.of()))) {
            assertThat(device.provider()).isEqualTo("verbs");
        }
    }

    @Test
    void shouldRefuseADeviceThatIsNotThereWhenItWasAskedFor() {
        assertThatThrownBy(() -> DeviceChoice.open(PluginConfig.of(
                        Map.of("slipstream.provider", "verbs", "slipstream.rdma.device", "no-such-device"))))
                .isInstanceOf(IOException.class)
                .hasMessageMatching("(?s).*(slipstream.provider=verbs is not available here: .+|no-such-device).*");
    }
}
