// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.metrics.Label;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.RdmaDevice;
import java.util.ArrayList;
import java.util.List;

/** Shows the device's counters. Must be closed before the device. */
final class DeviceMeters implements AutoCloseable {
    private final List<MeterRegistry.Registration> registrations = new ArrayList<>();

    DeviceMeters(MeterRegistry registry, RdmaDevice device) {
        registrations.add(registry.supply(() -> 1, PluginMeter.RDMA_DEVICE, device.provider(), device.name()));
        registrations.add(registry.supply(device::registeredBytes, PluginMeter.REGISTERED_BYTES));
        registrations.add(registry.supply(() -> device.counters().wakeUps(), PluginMeter.TRANSPORT_WAKEUPS));
        for (Opcode opcode : Opcode.values()) {
            String label = Label.valueOf(opcode);
            registrations.add(registry.supply(
                    () -> device.counters().operations(opcode), PluginMeter.TRANSPORT_OPERATIONS, label));
            registrations.add(
                    registry.supply(() -> device.counters().bytes(opcode), PluginMeter.TRANSPORT_BYTES, label));
        }
        for (CompletionStatus status : CompletionStatus.values()) {
            if (status != CompletionStatus.SUCCESS) {
                registrations.add(registry.supply(
                        () -> device.counters().failures(status), PluginMeter.TRANSPORT_ERRORS, Label.valueOf(status)));
            }
        }
    }

    @Override
    public void close() {
        registrations.forEach(MeterRegistry.Registration::close);
    }
}
