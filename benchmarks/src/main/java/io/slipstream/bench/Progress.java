// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.io.PrintStream;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Reports progress and remaining time, from the suites' estimates corrected by their accuracy so far. Confined to one
 * thread.
 */
public final class Progress {
    /** Below this much estimated time, estimates are not corrected. */
    private static final long MEANINGLESS_MS = 20_000;

    private final List<String> names;
    private final long[] estimatesMs;
    private final LongSupplier clockNs;
    private final PrintStream out;
    private final long startNs;
    private int suite;
    private double done;

    Progress(List<String> names, long[] estimatesMs, LongSupplier clockNs, PrintStream out) {
        this.names = names;
        this.estimatesMs = estimatesMs;
        this.clockNs = clockNs;
        this.out = out;
        startNs = clockNs.getAsLong();
    }

    /** @param index index of the starting suite */
    void begin(int index) {
        suite = index;
        done = 0;
    }

    /** @param doneShare finished share of this suite, 0 to 1 */
    public void say(double doneShare, String text) {
        done = Math.max(done, Math.min(1, doneShare));
        out.printf("[%d/%d %s, %s left] %s%n", suite + 1, names.size(), names.get(suite), duration(leftMs()), text);
    }

    long leftMs() {
        long passedMs = 0;
        for (int i = 0; i < suite; i++) {
            passedMs += estimatesMs[i];
        }
        passedMs += (long) (estimatesMs[suite] * done);
        long allMs = 0;
        for (long estimateMs : estimatesMs) {
            allMs += estimateMs;
        }
        long elapsedMs = (clockNs.getAsLong() - startNs) / 1_000_000;
        double pace = passedMs < MEANINGLESS_MS ? 1 : (double) elapsedMs / passedMs;
        return Math.round((allMs - passedMs) * pace);
    }

    static String duration(long ms) {
        long seconds = Math.round(ms / 1e3);
        return seconds < 100 ? seconds + " s" : Math.round(seconds / 60.0) + " min";
    }
}
