// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.workload;

import io.slipstream.checker.Checker;
import io.slipstream.checker.Report;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of a finished workload.
 *
 * @param report report on acknowledged, logged and read records
 * @param unfinished clients that did not exit cleanly or did not finish
 * @param givenUp records that a library gave up; they may or may not be in the log
 * @param redelivered records delivered to a group again, as a rebalance permits
 */
public record Verdict(Report report, List<String> unfinished, long givenUp, long redelivered) {
    /**
     * Pure.
     *
     * @param log final contents of the workload's topics, in offset order per partition
     */
    static Verdict on(ClientResults results, List<LoggedRecord> log) {
        List<String> unfinished = new ArrayList<>();
        results.producers().forEach(lines -> addUnfinished(lines, "producer", unfinished));
        results.consumers().forEach(lines -> addUnfinished(lines, "consumer", unfinished));
        return new Verdict(
                Checker.check(WorkloadHistory.of(results, log)),
                unfinished,
                results.count(ResultLine.GIVEN_UP),
                redelivered(results));
    }

    private static void addUnfinished(List<ResultLine> lines, String role, List<String> unfinished) {
        ResultLine first = lines.get(0);
        ResultLine last = lines.get(lines.size() - 1);
        String who = first.language() + " " + role + ", run " + first.run();
        if (!last.is(ResultLine.ENDED)) {
            String why = last.is(ResultLine.CRASHED) ? " crashed: " + last.error() : " was not done when it ended";
            unfinished.add(who + why);
        } else if (last.unfinished() > 0) {
            unfinished.add(who + " left " + last.unfinished() + " records unfinished");
        }
    }

    private static long redelivered(ClientResults results) {
        Map<String, Long> ends = new HashMap<>();
        long again = 0;
        for (List<ResultLine> lines : results.consumers()) {
            for (ResultLine line : lines) {
                if (line.is(ResultLine.READ)) {
                    String place = lines.get(0).group() + " " + lines.get(0).topic() + " " + line.partition();
                    again += line.offset() < ends.getOrDefault(place, 0L) ? 1 : 0;
                    ends.merge(place, line.offset() + 1, Math::max);
                }
            }
        }
        return again;
    }

    public boolean isClean() {
        return report.isClean() && unfinished.isEmpty();
    }

    public String text() {
        return report.text() + "given up by libraries: " + givenUp + ", delivered again after rebalances: "
                + redelivered + (unfinished.isEmpty() ? "" : "\nNOT DONE: " + String.join("; ", unfinished));
    }
}
