// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.util.Objects;

/**
 * The device that a provider opens, and the behaviour of its connections. Providers ignore the settings that do not
 * apply to them.
 *
 * @param deviceName name of the RDMA device ({@code mlx5_0}, {@code rxe0}); null: the first whose port is active
 * @param port port of the device, from 1; 0: the first active one
 * @param gidIndex index in the port's GID table of the local address; -1: the first address (RoCE v2 first, IPv4 before
 *     IPv6)
 * @param retryCount transport retries before a peer counts as dead, 0 to 6 (7 means unlimited in verbs)
 * @param rnrRetryCount retries while the peer has no receive posted, 0 to 6 (7 means unlimited in verbs)
 * @param localPeers users whose processes may connect over Unix sockets and shared memory
 */
public record DeviceConfig(
        String deviceName, int port, int gidIndex, int retryCount, int rnrRetryCount, LocalPeers localPeers) {
    public static final DeviceConfig DEFAULT = new DeviceConfig(null, 0, -1, 3, 6);

    /** With peers of the same user only. */
    public DeviceConfig(String deviceName, int port, int gidIndex, int retryCount, int rnrRetryCount) {
        this(deviceName, port, gidIndex, retryCount, rnrRetryCount, LocalPeers.OWN);
    }

    public DeviceConfig {
        Objects.requireNonNull(localPeers, "localPeers");
        if (port < 0 || gidIndex < -1) {
            throw new IllegalArgumentException("invalid device port " + port + " or GID index " + gidIndex);
        }
        if (retryCount < 0 || retryCount > 6 || rnrRetryCount < 0 || rnrRetryCount > 6) {
            throw new IllegalArgumentException("retry counts must be 0 to 6: " + retryCount + ", " + rnrRetryCount);
        }
    }
}
