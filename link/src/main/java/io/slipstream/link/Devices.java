// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.slipstream.link.meter.Meter;
import io.slipstream.link.settings.TransportSettings;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.rdma.DeviceMeters;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaProvider;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The RDMA devices of this proxy, one per provider that a plugin offers, each with one protection domain. The links of
 * an event loop share memory for reading, so they must share the domain. Used during set-up only. Thread-safe.
 */
public final class Devices implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Devices.class);

    private static final List<String> PROVIDERS = List.of("verbs", "shm");

    private final TransportSettings settings;
    private final MeterRegistry registry;
    private final Map<String, Opened> opened = new HashMap<>();
    /** Messages about unusable providers that were logged; each is logged once. */
    private final Set<String> complaints = new HashSet<>();

    private boolean closed;

    public Devices(TransportSettings settings, MeterRegistry registry) {
        this.settings = settings;
        this.registry = registry;
    }

    /** The provider that a plugin offers cannot be used here; the message says why. */
    static final class Unusable extends IOException {
        private static final long serialVersionUID = 1L;

        Unusable(String message) {
            super(message);
        }
    }

    /** An open device with the proxy's protection domain. */
    record Opened(RdmaDevice device, ProtectionDomain domain, DeviceMeters meters) {}

    /**
     * Opens the provider's device on first use. May block.
     *
     * @throws Unusable if the provider cannot be used here
     * @throws IOException if the device cannot be opened now
     */
    synchronized Opened open(String provider) throws IOException {
        if (closed) {
            throw new IOException("the fast path is closed");
        }
        Opened known = opened.get(provider);
        if (known != null) {
            return known;
        }
        if (!settings.allows(provider)) {
            throw complain("brokers offer provider " + provider + ", rdma.provider is " + settings.provider()
                    + ": their traffic stays on TCP");
        }
        RdmaProvider found = RdmaProvider.named(provider).orElse(null);
        String obstacle = obstacle(found);
        if (obstacle != null) {
            throw complain("brokers offer provider " + provider
                    + ", which cannot be used here, so their traffic stays on TCP: " + obstacle);
        }
        RdmaDevice device = found.open(settings.device());
        Opened fresh =
                new Opened(device, device.createProtectionDomain(), new DeviceMeters(registry, device, Meter::valueOf));
        opened.put(provider, fresh);
        log.info("RDMA by provider {}, device {}", provider, device.name());
        return fresh;
    }

    private Unusable complain(String message) {
        if (complaints.add(message)) {
            log.warn("{}", message);
        }
        return new Unusable(message);
    }

    /**
     * The open devices, as {@code verbs (rxe0)}. If there are none: the usable providers, and the reasons against the
     * others.
     */
    public synchronized String describe() {
        if (!opened.isEmpty()) {
            return opened.values().stream()
                    .map(one -> one.device().provider() + " (" + one.device().name() + ")")
                    .sorted()
                    .collect(Collectors.joining(", "));
        }
        return "no link to a broker yet; "
                + PROVIDERS.stream()
                        .filter(settings::allows)
                        .map(Devices::usability)
                        .collect(Collectors.joining("; "));
    }

    private static String obstacle(RdmaProvider found) {
        return found == null
                ? "it is not part of this proxy"
                : found.unavailableReason().orElse(null);
    }

    private static String usability(String provider) {
        String obstacle = obstacle(RdmaProvider.named(provider).orElse(null));
        return provider + (obstacle == null ? " can be used" : " cannot be used: " + obstacle);
    }

    public synchronized long registeredBytes() {
        return opened.values().stream()
                .mapToLong(one -> one.device().registeredBytes())
                .sum();
    }

    @Override
    public synchronized void close() {
        closed = true;
        opened.values().forEach(one -> {
            one.meters().close();
            one.domain().close();
            one.device().close();
        });
        opened.clear();
    }
}
