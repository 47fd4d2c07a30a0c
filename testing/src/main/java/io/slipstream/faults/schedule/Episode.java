// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.schedule;

import java.util.List;

/**
 * Faults that belong together. The next episode starts when all are healed and clients have settled.
 *
 * @param pauseMs idle time before the episode
 * @param faults one fault, or several that overlap
 */
public record Episode(long pauseMs, List<Timed> faults) {
    public Episode {
        faults = List.copyOf(faults);
    }

    /** A fault and its start time relative to its episode. */
    public record Timed(long delayMs, Fault fault) {
        long endMs() {
            return delayMs + fault.holdMs();
        }
    }

    /** Returns whether the fault is alone, so that the operations during it are attributable to it. */
    public boolean isSingle() {
        return faults.size() == 1;
    }

    long lengthMs() {
        return pauseMs + faults.stream().mapToLong(Timed::endMs).max().orElse(0);
    }
}
