package io.slipstream.faults.crash;

import java.util.EnumSet;
import java.util.Set;

/**
 * What is the same for all rounds of a campaign.
 *
 * @param direct without proxies, on an entirely stock broker: the control
 * @param landing value of {@code slipstream.landing}; null for the broker's default
 * @param victims who may be struck
 * @param killsPerRound after so many the history is judged, and processes and data are fresh
 */
public record CrashPlan(boolean direct, String landing, Set<Victim> victims, int killsPerRound) {
    public CrashPlan {
        victims = Set.copyOf(victims);
        if (victims.isEmpty() || killsPerRound < 1) {
            throw new IllegalArgumentException("there is nothing to kill");
        }
    }

    /** All victims, by RDMA. */
    public static CrashPlan usual(int killsPerRound) {
        return new CrashPlan(false, null, EnumSet.allOf(Victim.class), killsPerRound);
    }

    String arm() {
        return direct ? "direct" : "rdma";
    }

    CrashSchedule schedule(long seed) {
        return CrashSchedule.of(seed, killsPerRound, victims);
    }
}
