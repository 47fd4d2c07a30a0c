// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.util.ArrayList;
import java.util.List;

/**
 * Holds back actions that make the connection manager send a message while the port's link is down. Soft-RoCE's queue
 * pair for such messages does not survive a send failure, and no later connection of the machine would work. Connection
 * thread only.
 */
final class LinkGate {
    private final DevicePort port;
    private final List<Runnable> held = new ArrayList<>();

    LinkGate(DevicePort port) {
        this.port = port;
    }

    /** Runs the action now, or in its turn when the link is up again. */
    void whenUp(Runnable action) {
        if (held.isEmpty() && port.isActiveNow()) {
            action.run();
        } else {
            held.add(action);
        }
    }

    /** Runs the held actions if the link is up. Returns the number of actions still held. */
    int release() {
        if (!held.isEmpty() && port.isActiveNow()) {
            List<Runnable> actions = List.copyOf(held);
            held.clear();
            actions.forEach(Runnable::run);
        }
        return held.size();
    }
}
