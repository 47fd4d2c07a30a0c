// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * I17 and I22: compares two arms of one seed with the same schedule of faults. The judged arm must show no kind of
 * anomaly and no class of error that the direct arm does not show. In each fault in which the direct arm completes
 * {@link #LEAST_OPERATIONS} operations the judged arm must do so too. It may be silent at most {@link
 * #EXTRA_SILENCE_NS} longer.
 */
public final class ArmComparison {
    public static final long LEAST_OPERATIONS = 100;
    public static final long EXTRA_SILENCE_NS = 2_000_000_000L;

    private ArmComparison() {}

    /** Returns the judged arm's own findings and those of the comparison. */
    public static List<Anomaly> compare(Report direct, Report judged) {
        Findings findings = new Findings();
        for (Map.Entry<String, Long> kind : judged.counts().entrySet()) {
            if (!direct.counts().containsKey(kind.getKey())) {
                findings.add(
                        Invariant.I17,
                        "only-" + judged.arm(),
                        "arm " + judged.arm(),
                        kind.getKey() + " shows " + kind.getValue() + " times, never in arm " + direct.arm(),
                        () -> judged.anomalies().stream()
                                .filter(one -> one.kind().equals(kind.getKey()))
                                .map(Anomaly::what)
                                .toList());
            }
        }
        for (String error : judged.clientErrors()) {
            if (!direct.clientErrors().contains(error)) {
                findings.add(
                        Invariant.I22,
                        "foreign-error",
                        "arm " + judged.arm(),
                        "clients saw " + error + ", never in arm " + direct.arm());
            }
        }
        compareWindows(direct, judged, findings);
        return List.copyOf(findings.kept());
    }

    private static void compareWindows(Report direct, Report judged, Findings findings) {
        Map<Integer, FaultWindow> windows = new HashMap<>();
        direct.faultWindows().forEach(window -> windows.put(window.fault(), window));
        for (FaultWindow window : judged.faultWindows()) {
            FaultWindow other = windows.get(window.fault());
            if (other == null || other.okOperations() < LEAST_OPERATIONS) {
                continue;
            }
            String where = "fault " + window.fault() + " (" + window.faultClass() + " of " + window.target() + ")";
            List<String> evidence = List.of("direct: " + other, judged.arm() + ": " + window);
            if (window.okOperations() < LEAST_OPERATIONS) {
                findings.add(
                        Invariant.I22,
                        "unavailable",
                        where,
                        window.okOperations() + " operations succeeded, in arm " + direct.arm() + " "
                                + other.okOperations(),
                        () -> evidence);
            } else if (window.longestGapNs() > other.longestGapNs() + EXTRA_SILENCE_NS) {
                findings.add(
                        Invariant.I22,
                        "long-unavailability",
                        where,
                        "silent for " + window.longestGapNs() / 1_000_000 + " ms, in arm " + direct.arm() + " for "
                                + other.longestGapNs() / 1_000_000 + " ms",
                        () -> evidence);
            }
        }
    }
}
