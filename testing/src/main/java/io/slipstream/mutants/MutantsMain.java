// SPDX-License-Identifier: Apache-2.0
package io.slipstream.mutants;

import io.slipstream.process.Checkout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code ./slipstream mutants}. Exit status: 0 if enough mutants are killed and each survivor is allowed, 1 if not, 2
 * on wrong usage.
 */
@Command(name = "mutants", mixinStandardHelpOptions = true, description = "Checks that tests see known bugs.")
public final class MutantsMain implements Callable<Integer> {
    static final Path PATCHES = Path.of("testing", "mutants");

    @Option(names = "--list", description = "Only lists the bugs.")
    private boolean list;

    @Option(names = "--only", arity = "1..*", description = "Only these mutants, by name or its beginning.")
    private List<String> only = List.of();

    @Option(names = "--module", description = "Only mutants of this module, by its directory.")
    private String module;

    @Option(names = "--jobs", description = "Number of mutants that run at a time (1).")
    private int jobs = 1;

    private final Path root = Checkout.root();

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new MutantsMain()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        List<Mutant> mutants = Mutant.all(root.resolve(PATCHES)).stream()
                .filter(this::isSelected)
                .toList();
        if (list || mutants.isEmpty()) {
            mutants.forEach(mutant -> say("%s (%s): %s%n", mutant.name(), mutant.module(), mutant.bug()));
            return mutants.isEmpty() ? 1 : 0;
        }
        MutantRuns runs = new MutantRuns(root, root.resolve("testing/target/mutants"));
        long beganNs = System.nanoTime();
        Map<String, String> failures = runs.baseline(mutants);
        failures.forEach((name, failure) -> say("without a mutant, a test of %s fails: %s%n", name, failure));
        say("without a mutant, the tests took %.0f s%n", (System.nanoTime() - beganNs) / 1e9);
        Map<String, String> reasons = Survivors.read(root.resolve(PATCHES).resolve("survivors.md"));
        MutantReport report = new MutantReport(reasons, verdicts(runs, mutants));
        say("%s%.0f s%n", report.text(), (System.nanoTime() - beganNs) / 1e9);
        return report.isGood() ? 0 : 1;
    }

    private boolean isSelected(Mutant mutant) {
        return (module == null || mutant.module().equals(module))
                && (only.isEmpty()
                        || only.stream().anyMatch(name -> mutant.name().startsWith(name)));
    }

    private List<Verdict> verdicts(MutantRuns runs, List<Mutant> mutants) throws Exception {
        ExecutorService workers = Executors.newFixedThreadPool(jobs);
        try {
            List<Future<Verdict>> futures = mutants.stream()
                    .map(mutant -> workers.submit(() -> runs.run(mutant)))
                    .toList();
            List<Verdict> verdicts = new ArrayList<>();
            for (Future<Verdict> future : futures) {
                Verdict verdict = future.get();
                say("%s%n", MutantReport.line(verdict));
                verdicts.add(verdict);
            }
            return verdicts;
        } finally {
            workers.shutdownNow();
        }
    }

    private static void say(String format, Object... arguments) {
        System.out.printf(Locale.ROOT, format, arguments);
    }
}
