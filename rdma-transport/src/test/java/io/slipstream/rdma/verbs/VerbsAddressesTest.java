// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.RdmaListener;
import io.slipstream.rdma.RdmaProvider;
import io.slipstream.rdma.contract.Peer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every address of the port's GID table, and the choice of device, port and GID. */
@NeedsRdmaDevice
@Timeout(120)
class VerbsAddressesTest {
    private final RdmaProvider provider = RdmaProvider.named("verbs").orElseThrow();

    private static DevicePort port() throws IOException {
        return PortSelection.select(DevicePort.list(DevicePort.SYSFS), DeviceConfig.DEFAULT)
                .port();
    }

    private static DeviceConfig at(int gidIndex) {
        return new DeviceConfig(null, 0, gidIndex, 3, 6);
    }

    @Test
    void shouldConnectOverEveryAddressOfThePort() throws Exception {
        List<DevicePort.GidAddress> addresses = port().addresses();
        assertThat(addresses).anyMatch(address -> address.ip().length == 4);
        for (DevicePort.GidAddress address : addresses) {
            try (Peer initiator = new Peer(provider.open(at(address.gidIndex())));
                    Peer target = new Peer(provider.open(at(address.gidIndex())))) {
                CompletableFuture<QueuePair> accepted = new CompletableFuture<>();
                RdmaListener listener = target.device.listen(
                        ":0", request -> request.accept(target.config()).thenAccept(accepted::complete));
                System.out.println("connecting to " + listener.address());
                initiator.queuePair = initiator
                        .device
                        .connect(
                                listener.address(),
                                initiator.config(),
                                ByteBuffer.allocate(0),
                                TimeUnit.SECONDS.toNanos(10))
                        .toCompletableFuture()
                        .get();
                target.queuePair = accepted.get(10, TimeUnit.SECONDS);
                target.postReceives(1);
                initiator.queuePair.post(initiator.request(Opcode.WRITE_WITH_IMM, null, 0));
                target.awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS);
            }
        }
    }

    @Test
    void shouldNameWhatThereIsWhenAskedForWhatThereIsNot() throws Exception {
        String device = port().device();
        assertThatThrownBy(() -> provider.open(new DeviceConfig("mlx5_99", 0, -1, 3, 6)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("mlx5_99")
                .hasMessageContaining(device);
        assertThatThrownBy(() -> provider.open(new DeviceConfig(device, 77, -1, 3, 6)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("77");
        assertThatThrownBy(() -> provider.open(new DeviceConfig(device, 0, 200, 3, 6)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("GID index 200");
    }

    @Test
    void shouldListenOnAddressesOfTheDeviceOnly() throws Exception {
        try (var device = provider.open(DeviceConfig.DEFAULT)) {
            assertThatThrownBy(() -> device.listen("192.0.2.1:0", request -> {}))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("192.0.2.1");
            assertThatThrownBy(() -> device.listen("somewhere:0", request -> {}))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("literal");
        }
    }
}
