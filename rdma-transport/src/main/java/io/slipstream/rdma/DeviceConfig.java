// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.util.Objects;

/**
 * Which device a provider opens, and how its connections behave. Providers ignore what does not concern them.
 *
 * @param deviceName name of the RDMA device ({@code mlx5_0}, {@code rxe0}); null: the first whose port is active
 * @param port its port, from 1; 0: the first active one
 * @param gidIndex entry of the port's GID table that names the local address; -1: the first that has one (RoCE v2, IPv4 before IPv6)
 * @param retryCount transport retries before a peer counts as dead, 0 to 6 (7 would mean for ever)
 * @param rnrRetryCount retries while the peer has no receive posted, 0 to 6 (7 would mean for ever)
 * @param localPeers whose processes a provider connects with over Unix sockets, and through shared memory
 */
public record DeviceConfig(
        String deviceName, int port, int gidIndex, int retryCount, int rnrRetryCount, LocalPeers localPeers) {
    public static final DeviceConfig DEFAULT = new DeviceConfig(null, 0, -1, 3, 6);

    /** With peers of the own user. */
    public DeviceConfig(String deviceName, int port, int gidIndex, int retryCount, int rnrRetryCount) {
        this(deviceName, port, gidIndex, retryCount, rnrRetryCount, LocalPeers.OWN);
    }

    public DeviceConfig {
        Objects.requireNonNull(localPeers, "localPeers");
        if (port < 0 || gidIndex < -1) {
            throw new IllegalArgumentException("device port " + port + ", GID index " + gidIndex);
        }
        if (retryCount < 0 || retryCount > 6 || rnrRetryCount < 0 || rnrRetryCount > 6) {
            throw new IllegalArgumentException("retry counts must be 0 to 6: " + retryCount + ", " + rnrRetryCount);
        }
    }
}
