// SPDX-License-Identifier: Apache-2.0
package io.slipstream.mutants;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Which tests run for which mutant, and how long each takes without one. */
final class Selection {
    private final Path root;
    private final Map<String, List<String>> classesByModule = new TreeMap<>();
    private final Map<String, Long> tookMs = new TreeMap<>();

    /** @param root the checkout */
    Selection(Path root) {
        this.root = root;
    }

    TestModule module(String name) {
        return new TestModule(root.resolve(name));
    }

    /**
     * The mutant's test classes by module, in the order of its patterns, and within a pattern the fastest first.
     *
     * @throws BadPatchException if a pattern matches no test
     */
    Map<String, List<String>> testsOf(Mutant mutant) throws BadPatchException {
        Map<String, Set<String>> selected = new LinkedHashMap<>();
        for (TestPattern pattern : mutant.tests()) {
            List<String> matching = matching(pattern);
            if (matching.isEmpty()) {
                throw new BadPatchException("no test matches " + pattern);
            }
            matching.sort(Comparator.comparingLong(test -> tookMs.getOrDefault(test, 0L)));
            selected.computeIfAbsent(pattern.module(), name -> new LinkedHashSet<>())
                    .addAll(matching);
        }
        Map<String, List<String>> tests = new LinkedHashMap<>();
        selected.forEach((module, classes) -> tests.put(module, List.copyOf(classes)));
        return tests;
    }

    private List<String> matching(TestPattern pattern) {
        List<String> matching = new ArrayList<>();
        if (pattern.isOneClass()) {
            matching.add(pattern.classes());
            return matching;
        }
        for (String test : classesByModule.computeIfAbsent(
                pattern.module(), name -> module(name).tests())) {
            if (pattern.matches(test)) {
                matching.add(test);
            }
        }
        return matching;
    }

    void took(Map<String, Long> msByClass) {
        tookMs.putAll(msByClass);
    }

    /** Time after which these tests are thought to hang. */
    long timeoutMs(List<String> tests) {
        long expected =
                tests.stream().mapToLong(test -> tookMs.getOrDefault(test, 0L)).sum();
        return 30_000 + 4 * expected;
    }
}
