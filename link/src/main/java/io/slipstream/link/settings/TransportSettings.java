// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.settings;

import io.slipstream.rdma.DeviceConfig;
import java.util.Objects;

/**
 * The transport and its use.
 *
 * @param provider the RDMA provider to use, or {@link #AUTO} for the one that the plugin offers
 * @param device settings of the device
 * @param spinNs longest time that an event loop polls for outstanding work requests before it sleeps; 0: none
 * @param readMemoryBytes registered memory of one event loop for READs, a power of two; allocated if the provider
 *     requires registered memory
 */
public record TransportSettings(String provider, DeviceConfig device, long spinNs, int readMemoryBytes) {
    public static final String AUTO = "auto";
    public static final long SPIN_NS = 20_000;

    public static final TransportSettings DEFAULT =
            new TransportSettings(AUTO, DeviceConfig.DEFAULT, SPIN_NS, 64 << 20);

    public TransportSettings {
        Objects.requireNonNull(provider, "provider");
        Objects.requireNonNull(device, "device");
        if (Integer.bitCount(readMemoryBytes) != 1 || readMemoryBytes < 1 << 16) {
            throw new IllegalArgumentException(
                    "memory for reading must be a power of two of at least 65536: " + readMemoryBytes);
        }
    }

    /** Whether that provider may be used. */
    public boolean allows(String name) {
        return provider.equals(AUTO) || provider.equals(name);
    }
}
