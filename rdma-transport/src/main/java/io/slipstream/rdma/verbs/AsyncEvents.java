// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Distributes the asynchronous events of device contexts. librdmacm keeps one context per device and process, and
 * several of our devices may share it. The oldest of these reads the events, and all receive them.
 */
final class AsyncEvents {
    private static final Map<Long, Set<VerbsDevice>> DEVICES = new HashMap<>();

    private AsyncEvents() {}

    static synchronized void add(long context, VerbsDevice device) {
        DEVICES.computeIfAbsent(context, unused -> new LinkedHashSet<>()).add(device);
    }

    static synchronized void remove(long context, VerbsDevice device) {
        Set<VerbsDevice> devices = DEVICES.get(context);
        if (devices != null && devices.remove(device) && devices.isEmpty()) {
            DEVICES.remove(context);
        }
    }

    /** Whether this device is the one that reads the context's events now. */
    static synchronized boolean isTakenBy(long context, VerbsDevice device) {
        Set<VerbsDevice> devices = DEVICES.get(context);
        return devices != null && devices.iterator().next() == device;
    }

    static synchronized void tellAll(long context, int type, long element) {
        DEVICES.getOrDefault(context, Set.of())
                .forEach(device -> device.execute(() -> device.deviceEvents.handle(type, element)));
    }
}
