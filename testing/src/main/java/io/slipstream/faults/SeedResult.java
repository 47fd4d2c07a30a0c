// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.Schedule;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** One seed in all requested arms, and their differences. */
record SeedResult(Schedule schedule, Map<Arm, ArmResult> arms, List<String> differences) {
    boolean isGreen() {
        return differences.isEmpty();
    }

    Collection<ArmResult> results() {
        return arms.values();
    }
}
