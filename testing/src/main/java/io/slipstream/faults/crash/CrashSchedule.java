// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * The random choices of one round of kills: a pure function of seed, number of kills and victims. A longer schedule of
 * the same seed starts with the shorter one.
 *
 * @param proxies 1 or 2
 * @param recordsPerSecond rate of each producer
 * @param mostFillerBytes size of a large value
 */
public record CrashSchedule(long seed, int proxies, int recordsPerSecond, int mostFillerBytes, List<Kill> kills) {
    private static final int[] RATES = {100, 300, 800};
    private static final int[] FILLERS = {400, 4_000, 24_000};

    public CrashSchedule {
        kills = List.copyOf(kills);
    }

    /** @param victims the victims to draw from; not empty */
    public static CrashSchedule of(long seed, int count, Set<Victim> victims) {
        SplittableRandom random = new SplittableRandom(seed);
        int proxies = 1 + random.nextInt(2);
        int rate = RATES[random.nextInt(RATES.length)];
        int filler = FILLERS[random.nextInt(FILLERS.length)];
        List<Kill> kills = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            kills.add(new Kill(
                    number,
                    victim(random, victims),
                    random.nextInt(proxies),
                    random.nextInt(8) != 0,
                    random.nextInt(1_500),
                    random.nextBoolean(),
                    random.nextInt(300),
                    random.nextInt(200)));
        }
        return new CrashSchedule(seed, proxies, rate, filler, kills);
    }

    /** Half of the kills strike only the broker. */
    private static Victim victim(SplittableRandom random, Set<Victim> victims) {
        while (true) {
            int draw = random.nextInt(10);
            Victim victim = draw < 5
                    ? Victim.BROKER
                    : draw < 7 ? Victim.PROXY : draw < 9 ? Victim.PROXY_THEN_BROKER : Victim.BROKER_THEN_PROXY;
            if (victims.contains(victim)) {
                return victim;
            }
        }
    }

    /** Returns whether a broker dies that has certainly acknowledged records. */
    public boolean recoversLoad() {
        return kills.stream().skip(1).anyMatch(kill -> kill.victim().strikesBroker() && kill.warm());
    }

    @Override
    public String toString() {
        return String.format(
                "%d %s, %d records/s each, values up to %d bytes, %d kills",
                proxies, proxies == 1 ? "proxy" : "proxies", recordsPerSecond, mostFillerBytes, kills.size());
    }
}
