// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import io.slipstream.faults.Arm;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * The constants of a campaign.
 *
 * @param arm RDMA, or a control: directly at a stock broker, or through proxies with RDMA off
 * @param victims the victims to draw from
 * @param killsPerRound kills until the history is checked and processes and data are replaced
 */
public record CrashPlan(Arm arm, Set<Victim> victims, int killsPerRound) {
    public CrashPlan {
        victims = Set.copyOf(victims);
        if (victims.isEmpty() || killsPerRound < 1) {
            throw new IllegalArgumentException("no victims given");
        }
    }

    /** All victims, with RDMA. */
    public static CrashPlan usual(int killsPerRound) {
        return new CrashPlan(Arm.RDMA, EnumSet.allOf(Victim.class), killsPerRound);
    }

    /** The label in options and file names. */
    String armLabel() {
        return arm.name().toLowerCase(Locale.ROOT);
    }

    CrashSchedule schedule(long seed) {
        return CrashSchedule.of(seed, killsPerRound, victims);
    }
}
