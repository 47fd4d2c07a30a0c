// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.process.Deadline;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for the duration of a fault, or until the end of the run. */
final class Hold {
    private final BooleanSupplier stopped;

    Hold(BooleanSupplier stopped) {
        this.stopped = stopped;
    }

    void forMs(long timeMs) {
        Deadline.after(Duration.ofMillis(timeMs)).await(stopped);
    }

    /** Runs the action {@code times} times, spread evenly over the time. */
    void repeat(int times, long timeMs, Runnable action) {
        for (int i = 0; i < times && !stopped.getAsBoolean(); i++) {
            action.run();
            forMs(timeMs / times);
        }
    }
}
