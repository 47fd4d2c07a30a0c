// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import io.slipstream.faults.Arm;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * What is the same for all rounds of a campaign.
 *
 * @param arm by RDMA, or one of the two controls: straight to an entirely stock broker, or through proxies with RDMA off
 * @param victims who may be struck
 * @param killsPerRound after so many the history is judged, and processes and data are fresh
 */
public record CrashPlan(Arm arm, Set<Victim> victims, int killsPerRound) {
    public CrashPlan {
        victims = Set.copyOf(victims);
        if (victims.isEmpty() || killsPerRound < 1) {
            throw new IllegalArgumentException("there is nothing to kill");
        }
    }

    /** All victims, by RDMA. */
    public static CrashPlan usual(int killsPerRound) {
        return new CrashPlan(Arm.RDMA, EnumSet.allOf(Victim.class), killsPerRound);
    }

    /** As in options and names of files. */
    String armLabel() {
        return arm.name().toLowerCase(Locale.ROOT);
    }

    CrashSchedule schedule(long seed) {
        return CrashSchedule.of(seed, killsPerRound, victims);
    }
}
