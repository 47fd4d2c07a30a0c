// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import io.slipstream.metrics.Label;
import io.slipstream.metrics.MeterDefinition;
import io.slipstream.metrics.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Shows a device's counters until it is closed, which must be before the device. */
public final class DeviceMeters implements AutoCloseable {
    private final List<MeterRegistry.Registration> registrations = new ArrayList<>();

    /** @param meters returns the meter of that name; the catalogues of proxy and plugin have the same names */
    public DeviceMeters(MeterRegistry registry, RdmaDevice device, Function<String, MeterDefinition> meters) {
        TransportCounters counters = device.counters();
        registrations.add(registry.supply(() -> 1, meters.apply("RDMA_DEVICE"), device.provider(), device.name()));
        registrations.add(registry.supply(device::registeredBytes, meters.apply("REGISTERED_BYTES")));
        registrations.add(registry.supply(counters::wakeUps, meters.apply("TRANSPORT_WAKEUPS")));
        for (Opcode opcode : Opcode.values()) {
            String label = Label.valueOf(opcode);
            registrations.add(
                    registry.supply(() -> counters.operations(opcode), meters.apply("TRANSPORT_OPERATIONS"), label));
            registrations.add(registry.supply(() -> counters.bytes(opcode), meters.apply("TRANSPORT_BYTES"), label));
        }
        for (CompletionStatus status : CompletionStatus.values()) {
            if (status != CompletionStatus.SUCCESS) {
                registrations.add(registry.supply(
                        () -> counters.failures(status), meters.apply("TRANSPORT_ERRORS"), Label.valueOf(status)));
            }
        }
    }

    @Override
    public void close() {
        registrations.forEach(MeterRegistry.Registration::close);
    }
}
