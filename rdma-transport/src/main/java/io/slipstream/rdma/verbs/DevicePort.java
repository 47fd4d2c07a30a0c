// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One port of an RDMA device, as read from sysfs.
 *
 * @param state {@code ACTIVE}, {@code DOWN}, ...
 * @param addresses its GIDs that are IP addresses, in the order of the GID table
 */
record DevicePort(String device, int port, String state, String linkLayer, List<GidAddress> addresses) {
    static final Path SYSFS = Path.of("/sys/class/infiniband");

    private static final String ROCE_V2 = "RoCE v2";
    private static final String EMPTY_GID = "0000:0000:0000:0000:0000:0000:0000:0000";
    /** Tables have up to 1024 entries, filled from the start. This many empty entries in a row count as the end. */
    private static final int MOST_EMPTY_GIDS = 32;

    /** An entry of the port's GID table. {@code scopeId} is 0 except for link-local addresses. */
    record GidAddress(int gidIndex, byte[] ip, int scopeId, String type, String netdev) {
        SocketAddress toSocketAddress() {
            return new SocketAddress(ip, scopeId, 0);
        }

        private int rank() {
            return (ROCE_V2.equals(type) ? 0 : 4) + (ip.length == 4 ? 0 : 2) + (scopeId == 0 ? 0 : 1);
        }

        @Override
        public String toString() {
            return NetUtil.bytesToIpAddress(ip) + " (GID " + gidIndex + ", " + type + ", " + netdev + ")";
        }
    }

    boolean isActive() {
        return state.equals("ACTIVE");
    }

    boolean isActiveNow() {
        String now = line(SYSFS.resolve(device + "/ports/" + port + "/state"));
        return now != null && now.endsWith("ACTIVE");
    }

    /** The address that represents this port: RoCE v2 first, IPv4 before IPv6, link-local last. */
    GidAddress preferredAddress() {
        return addresses.stream().min(Comparator.comparingInt(GidAddress::rank)).orElse(null);
    }

    @Override
    public String toString() {
        return device + " port " + port + " " + state + ", " + linkLayer + ", "
                + (addresses.isEmpty()
                        ? "no IP address"
                        : addresses.stream().map(GidAddress::toString).collect(Collectors.joining(", ")));
    }

    /** All ports of all devices, in the order of their names. Empty if there is no RDMA device. */
    static List<DevicePort> list(Path sysfs) throws IOException {
        List<DevicePort> ports = new ArrayList<>();
        for (Path device : entries(sysfs)) {
            for (Path port : entries(device.resolve("ports"))) {
                ports.add(read(device, port));
            }
        }
        return ports;
    }

    private static DevicePort read(Path device, Path port) throws IOException {
        String state = line(port.resolve("state"));
        List<GidAddress> addresses = new ArrayList<>();
        int empty = 0;
        for (int index = 0; empty < MOST_EMPTY_GIDS; index++) {
            String gid = line(port.resolve("gids/" + index));
            empty = gid == null || gid.equals(EMPTY_GID) ? empty + 1 : 0;
            GidAddress address = empty > 0 ? null : readGid(port, index, gid);
            if (address != null) {
                addresses.add(address);
            }
        }
        return new DevicePort(
                device.getFileName().toString(),
                Integer.parseInt(port.getFileName().toString()),
                // The file holds "4: ACTIVE".
                state == null
                        ? "UNKNOWN"
                        : state.substring(state.indexOf(':') + 1).strip(),
                String.valueOf(line(port.resolve("link_layer"))),
                addresses);
    }

    /** Returns null for an entry that is not an IP address. */
    private static GidAddress readGid(Path port, int index, String gid) {
        String type = line(port.resolve("gid_attrs/types/" + index));
        String netdev = line(port.resolve("gid_attrs/ndevs/" + index));
        // Gives the IPv4 address of a mapped one.
        InetAddress ip = NetUtil.createInetAddressFromIpAddressString(gid);
        if (ip == null || type == null || netdev == null) {
            return null;
        }
        boolean linkLocal = ip instanceof Inet6Address && ip.isLinkLocalAddress();
        return new GidAddress(index, ip.getAddress(), linkLocal ? interfaceIndex(netdev) : 0, type, netdev);
    }

    private static int interfaceIndex(String netdev) {
        String index = line(Path.of("/sys/class/net", netdev, "ifindex"));
        return index == null ? 0 : Integer.parseInt(index);
    }

    /** Returns null if the file cannot be read, as for unused entries of a GID table. */
    private static String line(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return null;
        }
    }

    private static List<Path> entries(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
        }
    }
}
