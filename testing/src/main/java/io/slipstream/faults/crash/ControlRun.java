// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.slipstream.faults.judge.FisherExact;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The kills of another arm, as its {@code --json} has them, and those among them after which records of idempotent
 * producers are twice.
 */
public record ControlRun(String arm, long kills, long withDuplicates) {
    /** @throws UncheckedIOException that names a file that is no such result */
    public static ControlRun read(Path json) {
        try {
            JsonNode root = new ObjectMapper().readTree(json.toFile());
            long withDuplicates = 0;
            for (JsonNode victim : root.path("victims")) {
                withDuplicates += victim.path("killsWithDuplicates").asLong();
            }
            if (!root.path("kills").isNumber()) {
                throw new IOException("it has no kills");
            }
            return new ControlRun(root.path("arm").asText(), root.path("kills").asLong(), withDuplicates);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the control " + json, e);
        }
    }

    /** Returns the probability of as many kills with duplicates if both arms had the same rate. */
    double chance(CrashTotals judged) {
        return FisherExact.pValue(judged.killsWithDuplicates(), judged.kills(), withDuplicates, kills);
    }

    /** Returns whether the judged kills have more duplicates than chance explains. */
    public boolean isExceededBy(CrashTotals judged) {
        return chance(judged) < FisherExact.LEVEL;
    }

    public String compare(CrashTotals judged) {
        return String.format(
                Locale.ROOT,
                "kills with duplicates of idempotent producers: %d of %d, in arm %s %d of %d; Fisher's exact test p = %.4f%s",
                judged.killsWithDuplicates(),
                judged.kills(),
                arm,
                withDuplicates,
                kills,
                chance(judged),
                isExceededBy(judged) ? ": RED, more than chance" : "");
    }
}
