// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.util.concurrent.TimeUnit;

/** Send schedules of sensors. */
enum EventStream {
    EVENTS_CONSTANT("events, 1 000/s", Schedule.constant(1_000)),
    EVENTS_BURSTS("events, 500/s and 500 at once each second", Schedule.bursts(500, 500, TimeUnit.SECONDS.toNanos(1)));

    private final String label;
    private final Schedule schedule;

    EventStream(String label, Schedule schedule) {
        this.label = label;
        this.schedule = schedule;
    }

    String label() {
        return label;
    }

    Schedule schedule() {
        return schedule;
    }
}
