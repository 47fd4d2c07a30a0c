// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.Schedule;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * One seed in all requested arms, and their differences.
 *
 * @param seenOnce clients that exceeded the control in one run of the seed and not in the other
 */
record SeedResult(Schedule schedule, Map<Arm, ArmResult> arms, List<String> differences, List<String> seenOnce) {
    boolean isGreen() {
        return differences.isEmpty();
    }

    Collection<ArmResult> results() {
        return arms.values();
    }
}
