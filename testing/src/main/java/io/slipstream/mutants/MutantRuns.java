// SPDX-License-Identifier: Apache-2.0
package io.slipstream.mutants;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Runs the tests without a mutant, and then with one at a time. */
final class MutantRuns {
    private static final long BASELINE_TIMEOUT_MS = 600_000;

    private final Path root;
    private final Path scratch;
    private final Selection selection;
    /** By module, the test that fails without a mutant. */
    private final Map<String, String> failures = new TreeMap<>();

    /**
     * @param root the checkout
     * @param scratch directory for files of the runs
     */
    MutantRuns(Path root, Path scratch) {
        this.root = root;
        this.scratch = scratch;
        this.selection = new Selection(root);
    }

    /** Runs all selected tests without a mutant. Returns the failure by module, empty if all pass. */
    Map<String, String> baseline(List<Mutant> mutants) {
        Map<String, Set<String>> selected = new TreeMap<>();
        for (Mutant mutant : mutants) {
            try {
                selection
                        .testsOf(mutant)
                        .forEach((module, tests) -> selected.computeIfAbsent(module, name -> new LinkedHashSet<>())
                                .addAll(tests));
            } catch (BadPatchException reportedByItsOwnRun) {
                // Nothing to select.
            }
        }
        selected.forEach((module, tests) -> {
            TestRun.Result result = new TestRun(selection.module(module), scratch.resolve("baseline/" + module))
                    .run(null, List.copyOf(tests), BASELINE_TIMEOUT_MS);
            selection.took(result.tookMs());
            if (result.failure() != null) {
                failures.put(module, result.failure());
            }
        });
        return failures;
    }

    Verdict run(Mutant mutant) {
        long beganNs = System.nanoTime();
        Path directory = scratch.resolve(mutant.name());
        Verdict.Kind kind = Verdict.Kind.SURVIVED;
        String detail = "";
        try {
            Path overlay = new Overlay(root).compile(mutant, directory);
            List<String> passed = new ArrayList<>();
            for (Map.Entry<String, List<String>> tests :
                    selection.testsOf(mutant).entrySet()) {
                if (failures.containsKey(tests.getKey())) {
                    throw new BadPatchException("a test of " + tests.getKey() + " fails without it");
                }
                TestRun.Result result = new TestRun(selection.module(tests.getKey()), directory.resolve("tests"))
                        .run(overlay, tests.getValue(), selection.timeoutMs(tests.getValue()));
                if (result.failure() != null) {
                    kind = Verdict.Kind.KILLED;
                    detail = result.failure();
                    break;
                }
                passed.addAll(tests.getValue());
                detail = passed.size() + " test classes pass";
            }
        } catch (BadPatchException e) {
            kind = Verdict.Kind.NOT_JUDGED;
            detail = e.getMessage();
        }
        return new Verdict(mutant, kind, detail, (System.nanoTime() - beganNs) / 1e9);
    }
}
