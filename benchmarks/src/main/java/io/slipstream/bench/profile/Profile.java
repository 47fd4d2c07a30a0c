// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.profile;

import io.slipstream.bench.report.Table;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Totals of one process during one measurement. Pure.
 *
 * @param title names experiment, way and process
 * @param counts samples by category and thread
 * @param units operations, or MiB
 * @param intervalNs CPU time per sample
 */
public record Profile(
        String title, Map<Category, Map<ThreadKind, Long>> counts, double units, String unit, long intervalNs) {
    /** @param lines collapsed stacks with threads */
    public static Profile of(String title, List<String> lines, double units, String unit, long intervalNs) {
        Map<Category, Map<ThreadKind, Long>> counts = new EnumMap<>(Category.class);
        for (StackSamples samples : StackSamples.parse(lines)) {
            counts.computeIfAbsent(Category.of(samples), category -> new EnumMap<>(ThreadKind.class))
                    .merge(ThreadKind.of(samples.thread()), samples.count(), Long::sum);
        }
        return new Profile(title, counts, units, unit, intervalNs);
    }

    long samples() {
        return counts.values().stream().mapToLong(Profile::sum).sum();
    }

    private static long sum(Map<ThreadKind, Long> byThread) {
        return byThread.values().stream().mapToLong(Long::longValue).sum();
    }

    private long samplesOf(Category.Owner owner) {
        return counts.entrySet().stream()
                .filter(each -> each.getKey().owner() == owner)
                .mapToLong(each -> sum(each.getValue()))
                .sum();
    }

    /** Rows are categories, the last columns threads, all in % of the process's samples. */
    public String markdown() {
        long all = samples();
        StringBuilder text = new StringBuilder("## " + title + "\n\n");
        text.append(String.format(
                Locale.ROOT,
                "%d samples of %.2f ms; %.0f %s; %.2f us of processor time for each.",
                all,
                intervalNs / 1e6,
                units,
                unit,
                us(all)));
        for (Category.Owner owner : Category.Owner.values()) {
            text.append(String.format(Locale.ROOT, " %s %s %%.", owner.label(), percent(samplesOf(owner), all)));
        }
        return text.append("\n\n").append(table(all).markdown()).toString();
    }

    private Table table(long all) {
        Set<ThreadKind> threads = EnumSet.noneOf(ThreadKind.class);
        counts.values().forEach(byThread -> threads.addAll(byThread.keySet()));
        List<String> header = new ArrayList<>(List.of("owner", "what", "%", "us/" + unit));
        threads.forEach(thread -> header.add(thread.label()));
        List<List<String>> rows = new ArrayList<>();
        for (Map.Entry<Category, Map<ThreadKind, Long>> each : counts.entrySet()) {
            long sum = sum(each.getValue());
            List<String> row = new ArrayList<>(List.of(
                    each.getKey().owner().label(),
                    each.getKey().label(),
                    percent(sum, all),
                    String.format(Locale.ROOT, "%.2f", us(sum))));
            threads.forEach(thread -> {
                Long count = each.getValue().get(thread);
                row.add(count == null ? "" : percent(count, all));
            });
            rows.add(row);
        }
        List<String> sums =
                new ArrayList<>(List.of("", "all", percent(all, all), String.format(Locale.ROOT, "%.2f", us(all))));
        for (ThreadKind thread : threads) {
            sums.add(percent(
                    counts.values().stream()
                            .mapToLong(byThread -> byThread.getOrDefault(thread, 0L))
                            .sum(),
                    all));
        }
        rows.add(sums);
        return new Table(header, rows);
    }

    private double us(long samples) {
        return units == 0 ? 0 : samples * intervalNs / 1e3 / units;
    }

    private static String percent(long part, long all) {
        return all == 0 ? "0.0" : String.format(Locale.ROOT, "%.1f", 100.0 * part / all);
    }
}
