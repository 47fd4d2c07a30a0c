// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.rdma;

import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaProvider;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Opens devices of the current world. */
public final class SimulatedProvider implements RdmaProvider {
    public static final String NAME = "sim";

    private static Supplier<RdmaDevice> devices;
    private static final Map<String, RdmaDevice> NAMED = new HashMap<>();

    /** Sets the source of devices; null without a world. */
    public static void of(Supplier<RdmaDevice> world) {
        devices = world;
    }

    /** Adds a device that a process opens by this name. */
    public static void of(String name, RdmaDevice device) {
        NAMED.put(name, device);
    }

    /** Forgets the devices of earlier worlds. */
    public static void clear() {
        NAMED.clear();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Optional<String> unavailableReason() {
        return devices == null ? Optional.of("no simulation runs in this process") : Optional.empty();
    }

    @Override
    public RdmaDevice open(DeviceConfig config) throws IOException {
        if (devices == null) {
            throw new IOException("no simulation runs in this process");
        }
        return config.deviceName() == null ? devices.get() : NAMED.get(config.deviceName());
    }
}
