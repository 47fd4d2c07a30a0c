package io.slipstream.proxy.fastpath.link;

import io.slipstream.metrics.Meter;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.proxy.fastpath.FastPathSettings;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaProvider;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The RDMA devices of this proxy, one for each provider that a plugin asked for, with its protection domain. Set-up only. */
public final class Devices implements AutoCloseable {
    private final String allowedProvider;
    private final MeterRegistry registry;
    private final Map<String, Opened> opened = new HashMap<>();
    private final List<MeterRegistry.Registration> registrations = new ArrayList<>();
    private boolean closed;

    public Devices(String allowedProvider, MeterRegistry registry) {
        this.allowedProvider = allowedProvider;
        this.registry = registry;
    }

    /** An open device and the one protection domain of the proxy on it. */
    record Opened(RdmaDevice device, ProtectionDomain domain) {}

    /** Throws IOException that says why the provider cannot be used. May block. */
    synchronized Opened open(String provider) throws IOException {
        if (closed) {
            throw new IOException("the fast path is closed");
        }
        Opened known = opened.get(provider);
        if (known != null) {
            return known;
        }
        if (!FastPathSettings.AUTO.equals(allowedProvider) && !allowedProvider.equals(provider)) {
            throw new IOException(
                    "the broker offers provider " + provider + ", this proxy is set to " + allowedProvider);
        }
        RdmaProvider found = RdmaProvider.named(provider)
                .orElseThrow(() -> new IOException("provider " + provider + " is not part of this proxy"));
        String unavailable = found.unavailableReason().orElse(null);
        if (unavailable != null) {
            throw new IOException("provider " + provider + " cannot be used here: " + unavailable);
        }
        RdmaDevice device = found.open();
        ProtectionDomain domain = device.createProtectionDomain();
        if (domain.anyLocalMemoryKey() == -1) {
            device.close();
            throw new IOException(
                    "provider " + provider + " cannot send from unregistered memory, which this version needs");
        }
        Opened fresh = new Opened(device, domain);
        opened.put(provider, fresh);
        meter(device);
        return fresh;
    }

    private void meter(RdmaDevice device) {
        for (Opcode opcode : Opcode.values()) {
            String label = opcode.name().toLowerCase(Locale.ROOT);
            registrations.add(
                    registry.supply(() -> device.counters().operations(opcode), Meter.TRANSPORT_OPERATIONS, label));
            registrations.add(registry.supply(() -> device.counters().bytes(opcode), Meter.TRANSPORT_BYTES, label));
        }
        for (CompletionStatus status : CompletionStatus.values()) {
            if (status != CompletionStatus.SUCCESS) {
                registrations.add(registry.supply(
                        () -> device.counters().failures(status),
                        Meter.TRANSPORT_ERRORS,
                        status.name().toLowerCase(Locale.ROOT)));
            }
        }
        registrations.add(registry.supply(device::registeredBytes, Meter.REGISTERED_BYTES));
    }

    /** Bytes registered over all devices. */
    public synchronized long registeredBytes() {
        long total = 0;
        for (Opened one : opened.values()) {
            total += one.device().registeredBytes();
        }
        return total;
    }

    @Override
    public synchronized void close() {
        closed = true;
        registrations.forEach(MeterRegistry.Registration::close);
        registrations.clear();
        opened.values().forEach(one -> {
            one.domain().close();
            one.device().close();
        });
        opened.clear();
    }
}
