// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Fuzzes one target in its own JVM, because libFuzzer runs once per process. */
final class TargetRun {
    /** {@code #1024 pulse cov: 77 ft: 120 corp: 12/3Kb …}; the last one counts. */
    private static final Pattern PROGRESS =
            Pattern.compile("(?m)^#(\\d+)\\s+\\w+\\s+cov: (\\d+) ft: (\\d+) corp: (\\d+)/");

    private static final Pattern DONE = Pattern.compile("(?m)^Done (\\d+) runs in (\\d+) second");
    /**
     * Jazzer's sanitizers look for calls that no target makes (SQL, LDAP, scripts, deserialization), or guide through
     * regular expressions, which the seeds match. To hook them in JDK classes Jazzer scans the whole class path, a
     * quarter of its start-up CPU time.
     */
    private static final List<String> SANITIZERS = List.of(
            "BigDecimal",
            "ClojureLangHooks",
            "Deserialization",
            "ExpressionLanguageInjection",
            "FilePathTraversal",
            "LdapInjection",
            "NamingContextLookup",
            "OsCommandInjection",
            "ReflectiveCall",
            "RegexInjection",
            "RegexRoadblocks",
            "ScriptEngineInjection",
            "ServerSideRequestForgery",
            "SqlInjection",
            "TemplateInjection",
            "UnsafeSanitizer",
            "XPathInjection",
            "XmlParserSsrfGuidance");

    /**
     * Its loops over the characters of two keys report each step to the fuzzer and took nine tenths of {@code
     * ProxyConfig}'s time.
     */
    private static final String EDIT_DISTANCES = "io.slipstream.proxy.config.UnknownKeys";

    /** Below this time the C2 compiler costs more than it gains. */
    private static final int SHORT_SECONDS = 30;

    private static final int LOG_TAIL_CHARS = 8_000;
    /** Time to start and end, in addition to the fuzzing time. */
    private static final Duration GRACE = Duration.ofMinutes(3);

    /**
     * The result of a run.
     *
     * @param coverage covered code edges
     * @param features edges, counts and compared values that libFuzzer distinguishes
     */
    record Figures(Target target, int seed, long executions, double seconds, int coverage, int features, int corpus) {
        static final String HEADER = "%-18s %11s %12s %8s %9s %8s %9s %7s"
                .formatted("target", "seed", "executions", "s", "exec/s", "edges", "features", "corpus");

        @Override
        public String toString() {
            return "%-18s %11d %12d %8.1f %9.0f %8d %9d %7d"
                    .formatted(
                            target.name(), seed, executions, seconds, executions / seconds, coverage, features, corpus);
        }
    }

    private final Target target;
    private final int seed;
    private final Path directory;

    TargetRun(Target target, int seed, Path directory) {
        this.target = target;
        this.seed = seed;
        this.directory = directory;
    }

    /**
     * Fuzzes for this time, or for this many executions if not 0.
     *
     * @throws AssertionError with the end of the log on a finding; its input is then in the directory
     */
    Figures run(int seconds, long executions) throws IOException, InterruptedException {
        Path corpus = Files.createDirectories(directory.resolve(target.name()).resolve("corpus"));
        Path log = directory.resolve(target.name()).resolve("fuzz.log");
        Process process = new ProcessBuilder(command(corpus, seconds, executions))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .directory(directory.toFile())
                .start();
        try {
            boolean ended = process.waitFor(seconds + GRACE.toSeconds(), TimeUnit.SECONDS);
            String text = Files.readString(log);
            if (!ended || process.exitValue() != 0) {
                throw new AssertionError(target.className() + ", seed " + seed + ", "
                        + (ended ? "exit status " + process.exitValue() : "does not end") + ", inputs in " + directory
                        + "\n" + text.substring(Math.max(0, text.length() - LOG_TAIL_CHARS)));
            }
            return figures(text);
        } finally {
            process.destroyForcibly();
        }
    }

    private List<String> command(Path corpus, int seconds, long executions) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                System.getProperty("slipstream.test.jvm.args", "").trim().split("\\s+")));
        command.removeIf(String::isEmpty);
        // Many inputs end in an exception, whose full stack down to JUnit's frames may cost more than the checks.
        command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:MaxJavaStackTraceDepth=16"));
        if (executions == 0 && seconds <= SHORT_SECONDS) {
            command.add("-XX:TieredStopAtLevel=1");
        }
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add("com.code_intelligence.jazzer.Jazzer");
        command.add("--target_class=" + target.className());
        command.add(
                "--instrumentation_includes=io.slipstream.protocol.**:io.slipstream.proxy.**:io.slipstream.broker.**");
        command.add("--instrumentation_excludes=" + target.className() + ":" + EDIT_DISTANCES);
        command.add("--custom_hook_includes=io.slipstream.**");
        command.add("--disabled_hooks="
                + SANITIZERS.stream()
                        .map("com.code_intelligence.jazzer.sanitizers."::concat)
                        .collect(Collectors.joining(":")));
        command.add("-seed=" + seed);
        command.add("-max_total_time=" + seconds);
        if (executions > 0) {
            command.add("-runs=" + executions);
        }
        command.add("-rss_limit_mb=0");
        command.add("-artifact_prefix=" + directory.resolve(target.name()) + "/");
        command.add(corpus.toString());
        command.addAll(seeds());
        return command;
    }

    /** Returns the corpus directories in the repository. */
    private List<String> seeds() throws IOException {
        Path seeds = Path.of("src/test/resources").toAbsolutePath().resolve(target.corpusPath());
        try (Stream<Path> methods = Files.list(seeds)) {
            return methods.map(Path::toString).toList();
        }
    }

    private Figures figures(String log) {
        int coverage = 0;
        int features = 0;
        int corpus = 0;
        for (Matcher progress = PROGRESS.matcher(log); progress.find(); ) {
            coverage = Integer.parseInt(progress.group(2));
            features = Integer.parseInt(progress.group(3));
            corpus = Integer.parseInt(progress.group(4));
        }
        Matcher done = DONE.matcher(log);
        if (!done.find()) {
            throw new AssertionError(target.className() + " did not run to its end:\n" + log);
        }
        long executions = Long.parseLong(done.group(1));
        double seconds = Math.max(1, Long.parseLong(done.group(2)));
        return new Figures(target, seed, executions, seconds, coverage, features, corpus);
    }
}
