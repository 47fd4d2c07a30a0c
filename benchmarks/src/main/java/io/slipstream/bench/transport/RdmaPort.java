// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.transport;

import io.slipstream.process.StartFailure;
import io.slipstream.rdma.DeviceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * The port for our and perftest's processes, as described below {@code /sys/class/infiniband}.
 *
 * @param gidIndex entry of the GID table with the first IPv4 address of RoCE v2; -1 for an InfiniBand port
 */
record RdmaPort(String device, int number, int gidIndex) {
    private static final Path DEVICES = Path.of("/sys/class/infiniband");
    private static final String MAPPED_IPV4 = "0000:0000:0000:0000:0000:ffff:";
    private static final int FIRST_PORT = 1;

    /** @param device name; null for environment variable {@code SLIPSTREAM_RDMA_DEVICE}, else the first device */
    static RdmaPort find(String device) {
        String name = device == null ? System.getenv("SLIPSTREAM_RDMA_DEVICE") : device;
        if (name == null || name.isBlank()) {
            name = Arrays.stream(list(DEVICES))
                    .findFirst()
                    .orElseThrow(() -> new StartFailure("no RDMA device in " + DEVICES));
        }
        Path port = DEVICES.resolve(name).resolve("ports").resolve(Integer.toString(FIRST_PORT));
        if (!Files.isDirectory(port)) {
            throw new StartFailure("unknown RDMA device " + name + "; known: " + String.join(", ", list(DEVICES)));
        }
        return new RdmaPort(name, FIRST_PORT, gidIndex(port));
    }

    private static int gidIndex(Path port) {
        return Arrays.stream(list(port.resolve("gids")))
                .map(Integer::valueOf)
                .sorted()
                .filter(index -> read(port.resolve("gids/" + index)).startsWith(MAPPED_IPV4))
                .filter(index -> read(port.resolve("gid_attrs/types/" + index)).equals("RoCE v2"))
                .findFirst()
                .orElse(-1);
    }

    private static String[] list(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString())
                    .sorted(Comparator.naturalOrder())
                    .toArray(String[]::new);
        } catch (IOException e) {
            return new String[0];
        }
    }

    /** Returns an empty text if the file is unreadable: unused GID entries return an error. */
    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "";
        }
    }

    DeviceConfig config() {
        DeviceConfig usual = DeviceConfig.DEFAULT;
        return new DeviceConfig(device, number, gidIndex, usual.retryCount(), usual.rnrRetryCount());
    }

    String describe() {
        String gid = gidIndex < 0
                ? ""
                : ", GID " + gidIndex + " = "
                        + read(DEVICES.resolve(device).resolve("ports/" + number + "/gids/" + gidIndex));
        return device + " port " + number + gid + (isSoftware() ? " (Soft-RoCE, an emulation by the kernel)" : "");
    }

    /** Returns whether the device has no hardware. */
    private boolean isSoftware() {
        return !Files.exists(DEVICES.resolve(device).resolve("device"));
    }
}
