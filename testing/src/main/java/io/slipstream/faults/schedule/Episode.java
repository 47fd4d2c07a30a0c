// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.schedule;

import java.util.List;

/**
 * Faults that belong together; the next episode begins when all of this one are healed and clients have settled.
 *
 * @param pauseMs calm before it
 * @param faults one, or several that overlap
 */
public record Episode(long pauseMs, List<Timed> faults) {
    public Episode {
        faults = List.copyOf(faults);
    }

    /** A fault and when it strikes, counted from the start of its episode. */
    public record Timed(long delayMs, Fault fault) {
        long endMs() {
            return delayMs + fault.holdMs();
        }
    }

    /** Whether the fault is alone, so that the operations during it can be laid at its door. */
    public boolean isSingle() {
        return faults.size() == 1;
    }

    long lengthMs() {
        return pauseMs + faults.stream().mapToLong(Timed::endMs).max().orElse(0);
    }
}
