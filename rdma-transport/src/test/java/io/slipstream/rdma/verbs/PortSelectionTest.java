// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.rdma.DeviceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Devices of a directory that is laid out like sysfs. */
class PortSelectionTest {
    private static final String LINK_LOCAL = "fe80:0000:0000:0000:0000:00ff:fe00:0001";
    private static final String MAPPED_IPV4 = "0000:0000:0000:0000:0000:ffff:0a00:0001";
    private static final String IPV6 = "fd00:0000:0000:0000:0000:0000:0000:0001";

    @TempDir
    private Path sysfs;

    @BeforeEach
    void twoDevices() throws Exception {
        port("mlx5_0", 1, "1: DOWN");
        port("mlx5_1", 1, "4: ACTIVE");
        gid("mlx5_1", 1, 0, LINK_LOCAL, "IB/RoCE v1");
        gid("mlx5_1", 1, 1, IPV6, "RoCE v2");
        gid("mlx5_1", 1, 2, MAPPED_IPV4, "IB/RoCE v1");
        gid("mlx5_1", 1, 3, MAPPED_IPV4, "RoCE v2");
        Files.writeString(sysfs.resolve("mlx5_1/ports/1/gids/4"), "0000:0000:0000:0000:0000:0000:0000:0000\n");
    }

    private void port(String device, int port, String state) throws IOException {
        Path directory = sysfs.resolve(device + "/ports/" + port);
        for (String part : new String[] {"gids", "gid_attrs/types", "gid_attrs/ndevs"}) {
            Files.createDirectories(directory.resolve(part));
        }
        Files.writeString(directory.resolve("state"), state + "\n");
        Files.writeString(directory.resolve("link_layer"), "Ethernet\n");
    }

    private void gid(String device, int port, int index, String gid, String type) throws IOException {
        Path directory = sysfs.resolve(device + "/ports/" + port);
        Files.writeString(directory.resolve("gids/" + index), gid + "\n");
        Files.writeString(directory.resolve("gid_attrs/types/" + index), type + "\n");
        Files.writeString(directory.resolve("gid_attrs/ndevs/" + index), "lo\n");
    }

    private PortSelection select(String device, int port, int gidIndex) throws IOException {
        return PortSelection.select(DevicePort.list(sysfs), new DeviceConfig(device, port, gidIndex, 3, 6));
    }

    @Test
    void shouldTakeTheFirstActivePortAndPreferRoceV2OverIpv4() throws Exception {
        PortSelection selection = select(null, 0, -1);
        assertThat(selection.port().device()).isEqualTo("mlx5_1");
        assertThat(selection.address().gidIndex()).isEqualTo(3);
        assertThat(selection.address().ip()).containsExactly(10, 0, 0, 1);
    }

    @Test
    void shouldTakeTheGidThatWasAskedFor() throws Exception {
        assertThat(select("mlx5_1", 1, 1).address().ip()).hasSize(16);
        PortSelection linkLocal = select("mlx5_1", 1, 0);
        assertThat(linkLocal.address().scopeId()).isEqualTo(1);
    }

    @Test
    void shouldSpeakToEachFamilyFromAnAddressOfIt() throws Exception {
        PortSelection selection = select(null, 0, -1);
        assertThat(selection.sourceFor(SocketAddress.parse("10.0.0.2:1"))).containsExactly(10, 0, 0, 1);
        assertThat(selection.sourceFor(SocketAddress.parse("[fd00::2]:1"))).hasSize(16);
    }

    @Test
    void shouldNameWhatThereIs() {
        assertThatThrownBy(() -> select("rxe7", 0, -1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("rxe7")
                .hasMessageContaining("mlx5_0 port 1 DOWN")
                .hasMessageContaining("10.0.0.1 (GID 3, RoCE v2, lo)");
        assertThatThrownBy(() -> select("mlx5_0", 0, -1)).hasMessageContaining("no port is active");
        assertThatThrownBy(() -> select("mlx5_1", 2, -1)).hasMessageContaining("no port 2");
        assertThatThrownBy(() -> select(null, 0, 4)).hasMessageContaining("GID index 4");
    }

    @Test
    void shouldSayHowToGetADevice(@TempDir Path empty) {
        assertThat(PortSelection.unavailableReason(sysfs)).isEmpty();
        assertThat(PortSelection.unavailableReason(empty).orElseThrow())
                .contains("no RDMA device was found", "is empty", "rdma link add");
        assertThat(PortSelection.unavailableReason(empty.resolve("none")).orElseThrow())
                .contains("is missing", "rdma link add");
    }
}
