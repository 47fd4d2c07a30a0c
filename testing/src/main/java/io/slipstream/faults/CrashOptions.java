// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.crash.ControlRun;
import io.slipstream.faults.crash.CrashCampaign;
import io.slipstream.faults.crash.CrashPlan;
import io.slipstream.faults.crash.CrashTotals;
import io.slipstream.faults.crash.Victim;
import io.slipstream.figures.Recording;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.Checkout;
import io.slipstream.process.ClassArchive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine.Option;

/** Options of {@code ./slipstream faults --crash}. */
final class CrashOptions {
    private static final int DEFAULT_KILLS = 50;
    private static final int KILLS_PER_ROUND = 10;
    private static final int MOST_KILLS = 100_000;

    @Option(names = "--crash")
    private boolean asked;

    @Option(names = "--kills")
    private Integer kills;

    @Option(names = "--victims", split = ",")
    private Set<String> victims;

    @Option(names = "--against")
    private Path against;

    boolean isAsked() {
        return asked;
    }

    /** Returns a message that names the wrong option, or null. */
    String mistake(boolean simulate, boolean otherLimits) {
        if (!asked) {
            return kills != null || victims != null || against != null
                    ? "--kills, --victims and --against need --crash"
                    : null;
        }
        if (simulate || otherLimits) {
            return "--crash takes --kills and excludes --simulate, --minutes and --seeds";
        }
        if (kills != null && (kills < 1 || kills > MOST_KILLS)) {
            return "--kills must be between 1 and " + MOST_KILLS + ", not " + kills;
        }
        if (against != null && !Files.isReadable(against)) {
            return "--against: " + against + " is not a readable file";
        }
        return unknownVictim();
    }

    private String unknownVictim() {
        try {
            victims();
            return null;
        } catch (IllegalArgumentException e) {
            return "--victims: " + e.getMessage();
        }
    }

    private Set<Victim> victims() {
        Set<Victim> chosen = EnumSet.noneOf(Victim.class);
        if (victims == null) {
            return EnumSet.allOf(Victim.class);
        }
        victims.forEach(label -> chosen.add(Victim.of(label.toLowerCase(Locale.ROOT))));
        return chosen;
    }

    /**
     * Returns whether all checks passed. A replay is one round.
     *
     * @param recording null if nothing is to be recorded
     */
    boolean run(Long replay, Arm arm, Path json, Recording recording) throws IOException {
        Path directory = Files.createDirectories(Checkout.root().resolve(".slipstream/faults"));
        System.out.println("rounds with anomalies are kept in " + directory);
        ClassArchive.ensure(BrokerLine.NEWEST);
        ControlRun control = against == null ? null : ControlRun.read(against);
        int count = kills != null ? kills : replay != null ? KILLS_PER_ROUND : DEFAULT_KILLS;
        CrashPlan plan = new CrashPlan(arm, victims(), Math.min(count, KILLS_PER_ROUND));
        CrashCampaign campaign = new CrashCampaign(plan, directory, System.out, sums -> write(sums, json));
        CrashTotals totals = replay != null
                ? campaign.replay(replay)
                : campaign.run(new SecureRandom().nextInt() & 0xffff_ffffL, count);
        Recording.print(recording, totals::print);
        write(totals, json);
        if (control != null) {
            System.out.println(control.compare(totals));
        }
        return totals.failures().isEmpty() && (control == null || !control.isExceededBy(totals));
    }

    private static void write(CrashTotals totals, Path json) {
        if (json != null) {
            totals.write(json);
        }
    }
}
