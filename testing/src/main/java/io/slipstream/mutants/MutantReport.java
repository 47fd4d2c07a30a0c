// SPDX-License-Identifier: Apache-2.0
package io.slipstream.mutants;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Judges verdicts: how many mutants are killed, in total and by module, and which survive without being allowed to. */
final class MutantReport {
    private static final double LEAST_KILLED = 0.85;

    private final Map<String, String> allowed;
    private final List<Verdict> verdicts;

    /** @param allowed reasons by name of the mutants that may survive */
    MutantReport(Map<String, String> allowed, List<Verdict> verdicts) {
        this.allowed = allowed;
        this.verdicts = verdicts;
    }

    /** One line about one mutant. */
    static String line(Verdict verdict) {
        return String.format(
                Locale.ROOT,
                "%-10s %5.1f s  %s: %s",
                verdict.kind().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                verdict.seconds(),
                verdict.mutant().name(),
                verdict.kind() == Verdict.Kind.SURVIVED ? verdict.mutant().bug() : verdict.detail());
    }

    boolean isGood() {
        return killed() >= LEAST_KILLED * verdicts.size() && verdicts.stream().allMatch(this::isAllowed);
    }

    private boolean isAllowed(Verdict verdict) {
        return switch (verdict.kind()) {
            case KILLED -> true;
            case SURVIVED -> allowed.containsKey(verdict.mutant().name());
            case NOT_JUDGED -> false;
        };
    }

    private long killed() {
        return verdicts.stream().filter(MutantReport::isKilled).count();
    }

    private static boolean isKilled(Verdict verdict) {
        return verdict.kind() == Verdict.Kind.KILLED;
    }

    /** A table by module, and the mutants that must not be. */
    String text() {
        StringBuilder text = new StringBuilder("\n| module | mutants | killed |\n|---|---|---|\n");
        Map<String, int[]> counts = new TreeMap<>();
        for (Verdict verdict : verdicts) {
            int[] count = counts.computeIfAbsent(verdict.mutant().module(), module -> new int[2]);
            count[0]++;
            count[1] += isKilled(verdict) ? 1 : 0;
        }
        counts.forEach((module, count) -> text.append(row(module, count[0], count[1])));
        text.append(row("all", verdicts.size(), (int) killed())).append('\n');
        for (Verdict verdict : verdicts) {
            if (!isKilled(verdict)) {
                String reason = allowed.get(verdict.mutant().name());
                text.append(verdict.mutant().name())
                        .append(
                                isAllowed(verdict)
                                        ? " may survive: " + reason
                                        : " must not survive: " + verdict.detail())
                        .append('\n');
            }
        }
        return text.toString();
    }

    private static String row(String module, int mutants, int killed) {
        return String.format(
                Locale.ROOT, "| %s | %d | %d (%d %%) |%n", module, mutants, killed, killed * 100 / mutants);
    }
}
