// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Checks the RDMA devices and their ports that the kernel lists in sysfs. */
final class RdmaDeviceCheck implements Check {
    static final Path SYSFS = Path.of("/sys/class/infiniband");
    private static final String SUBJECT = "RDMA device";

    private final Path devices;

    RdmaDeviceCheck(Path devices) {
        this.devices = devices;
    }

    @Override
    public List<Finding> examine() {
        List<Finding> findings = new ArrayList<>();
        if (Files.isDirectory(devices)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(devices)) {
                for (Path device : all) {
                    examinePorts(device, findings);
                }
            } catch (IOException e) {
                findings.add(Finding.warn(
                        SUBJECT,
                        "cannot list " + devices + ": " + e.getMessage(),
                        "run as a user with read permission"));
            }
        }
        if (findings.isEmpty()) {
            findings.add(
                    Finding.warn(
                            SUBJECT,
                            "none: the proxy uses shared memory (shm) to brokers on this host and TCP to others",
                            "for RDMA between hosts install an InfiniBand or RoCE adapter, or use Soft-RoCE: rdma link add rxe0 type rxe netdev IFACE"));
        }
        return findings;
    }

    private static void examinePorts(Path device, List<Finding> findings) throws IOException {
        try (DirectoryStream<Path> ports = Files.newDirectoryStream(device.resolve("ports"))) {
            for (Path port : ports) {
                String name = device.getFileName() + " port " + port.getFileName();
                String state = read(port.resolve("state"));
                String kind = read(port.resolve("link_layer")) + ", " + read(port.resolve("rate"));
                findings.add(
                        state.contains("ACTIVE")
                                ? Finding.ok(SUBJECT, name + " is active (" + kind + ")")
                                : Finding.warn(
                                        SUBJECT,
                                        name + " is " + state,
                                        "bring its link up: ip link set IFACE up; check the cable"));
            }
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "unknown";
        }
    }
}
