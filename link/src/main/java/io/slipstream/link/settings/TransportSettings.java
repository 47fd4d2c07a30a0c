// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.settings;

import io.slipstream.rdma.DeviceConfig;
import java.util.Objects;

/**
 * Which transport is used and how.
 *
 * @param provider the RDMA provider to use, or {@link #AUTO} for whatever the plugin offers
 * @param device which device it opens
 * @param poll how completions are awaited
 * @param readMemoryBytes registered memory of one event loop for reading into, a power of two; taken if the provider
 *     demands registered memory
 */
public record TransportSettings(String provider, DeviceConfig device, PollMode poll, int readMemoryBytes) {
    public static final String AUTO = "auto";

    public static final TransportSettings DEFAULT =
            new TransportSettings(AUTO, DeviceConfig.DEFAULT, PollMode.ADAPTIVE, 64 << 20);

    public TransportSettings {
        Objects.requireNonNull(provider, "provider");
        Objects.requireNonNull(device, "device");
        Objects.requireNonNull(poll, "poll");
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
