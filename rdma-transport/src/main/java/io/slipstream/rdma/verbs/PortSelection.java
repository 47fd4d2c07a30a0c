// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.DeviceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The port and address that a configuration selects. Each refusal names the ports that exist. */
record PortSelection(DevicePort port, DevicePort.GidAddress address) {
    private static final String HOW_TO_GET_ONE =
            "install an RDMA network card with its driver, or Soft-RoCE on any card: modprobe rdma_rxe &&"
                    + " rdma link add rxe0 type rxe netdev eth0";
    private static final Path DEVICE_FILES = Path.of("/dev/infiniband");

    /** Empty if some port can be used, else the reason, for the operator. */
    static Optional<String> unavailableReason(Path sysfs) {
        try {
            List<DevicePort> ports = DevicePort.list(sysfs);
            if (ports.isEmpty()) {
                return Optional.of("no RDMA device was found (" + sysfs + " is "
                        + (Files.isDirectory(sysfs) ? "empty" : "missing") + "); " + HOW_TO_GET_ONE);
            }
            Path connectionManager = DEVICE_FILES.resolve("rdma_cm");
            if (sysfs.equals(DevicePort.SYSFS)
                    && !(Files.isReadable(connectionManager) && Files.isWritable(connectionManager))) {
                return Optional.of(connectionManager
                        + (Files.exists(connectionManager)
                                ? " cannot be opened by this user"
                                : " is missing (modprobe rdma_ucm)")
                        + "; a container needs --device=" + DEVICE_FILES);
            }
            select(ports, DeviceConfig.DEFAULT);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(e.getMessage());
        }
    }

    static PortSelection select(List<DevicePort> ports, DeviceConfig config) throws IOException {
        List<DevicePort> named = ports.stream()
                .filter(port -> config.deviceName() == null || port.device().equals(config.deviceName()))
                .toList();
        if (named.isEmpty()) {
            throw new IOException(
                    config.deviceName() == null
                            ? "no RDMA device was found"
                            : "no RDMA device is named " + config.deviceName() + "; available: " + listing(ports));
        }
        List<DevicePort> numbered = named.stream()
                .filter(port -> config.port() == 0 || port.port() == config.port())
                .toList();
        if (numbered.isEmpty()) {
            throw new IOException("no port " + config.port() + " on that device; available: " + listing(named));
        }
        List<DevicePort> active = numbered.stream().filter(DevicePort::isActive).toList();
        if (active.isEmpty()) {
            throw new IOException("no port is active; available: " + listing(numbered));
        }
        for (DevicePort port : active) {
            DevicePort.GidAddress address = config.gidIndex() < 0
                    ? port.preferredAddress()
                    : port.addresses().stream()
                            .filter(entry -> entry.gidIndex() == config.gidIndex())
                            .findFirst()
                            .orElse(null);
            if (address != null) {
                return new PortSelection(port, address);
            }
        }
        String wanted = config.gidIndex() < 0 ? "an IP address" : "an IP address at GID index " + config.gidIndex();
        throw new IOException("no active port has " + wanted + "; available: " + listing(active));
    }

    private static String listing(List<DevicePort> ports) {
        return ports.isEmpty()
                ? "no device"
                : ports.stream().map(DevicePort::toString).collect(Collectors.joining("; "));
    }

    /** The port's address for peers of that address family, or null to use the routing table's choice. */
    byte[] sourceFor(SocketAddress peer) {
        return Stream.concat(Stream.of(address), port.addresses().stream())
                .filter(entry ->
                        entry.ip().length == peer.ip().length && (entry.scopeId() == 0) == (peer.scopeId() == 0))
                .map(DevicePort.GidAddress::ip)
                .findFirst()
                .orElse(null);
    }
}
