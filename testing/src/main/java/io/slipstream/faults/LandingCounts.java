package io.slipstream.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What plugins counted of batches placed in segments, as they say when their brokers stop in order; a killed one takes its counts with it.
 *
 * @param inPlace batches committed where they were placed
 * @param begun landings
 * @param revoked landings that somebody else wanted to end
 * @param rolled times that a log went on in another file because its writer could not be fenced
 */
record LandingCounts(long inPlace, long begun, long revoked, long rolled) {
    static final LandingCounts NONE = new LandingCounts(0, 0, 0, 0);
    private static final String COUNTERS = "Slipstream stopped; counters: {";
    private static final String ROLLED = "its last writer stopped in the middle of a write";

    static LandingCounts in(List<Path> brokerLogs) {
        LandingCounts sum = NONE;
        for (Path log : brokerLogs) {
            try {
                for (String line : Files.readAllLines(log)) {
                    sum = sum.plus(line);
                }
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + log, e);
            }
        }
        return sum;
    }

    private LandingCounts plus(String line) {
        if (line.contains(ROLLED)) {
            return new LandingCounts(inPlace, begun, revoked, rolled + 1);
        } else if (!line.contains(COUNTERS)) {
            return this;
        }
        return new LandingCounts(
                inPlace + counter("BATCHES_COMMITTED_IN_PLACE", line),
                begun + counter("LANDINGS_BEGUN", line),
                revoked + counter("LANDINGS_REVOKED", line),
                rolled);
    }

    private static long counter(String name, String line) {
        Matcher matcher = Pattern.compile("\\b" + name + "=(\\d+)").matcher(line);
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }

    boolean isNone() {
        return equals(NONE);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "%,d in place (%d landings, %d revoked, %d rolled)", inPlace, begun, revoked, rolled);
    }
}
