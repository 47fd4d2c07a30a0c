// SPDX-License-Identifier: Apache-2.0
package io.slipstream.mutants;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs test classes of one module in a JVM of its own. */
final class TestRun {
    /** As in the builds: those of the root's pom.xml and of the proxy's. */
    private static final List<String> JVM_ARGUMENTS = List.of(
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-ea",
            "-Dio.netty.leakDetection.level=paranoid",
            "--add-opens=java.base/java.io=ALL-UNNAMED",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");

    private static final String LEAKS =
            "-Dio.netty.customResourceLeakDetector=io.slipstream.leaks.RecordingLeakDetector";

    private final TestModule module;
    private final Path scratch;

    /** @param scratch a directory for files of this run */
    TestRun(TestModule module, Path scratch) {
        this.module = module;
        this.scratch = scratch;
    }

    /**
     * The outcome.
     *
     * @param failure the failed test with its message; null if all tests passed
     * @param tookMs by class that was run whole
     */
    record Result(String failure, Map<String, Long> tookMs) {}

    /** @param overlay classes that replace those of the class path; null for none */
    Result run(Path overlay, List<String> tests, long timeoutMs) {
        try {
            Files.createDirectories(scratch);
            // Not below the scratch directory, whose name is too long for sockets. Tests run processes of other users.
            Path temporary = Files.createTempDirectory(
                    "mutant", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
            try {
                return await(command(overlay, tests, temporary), timeoutMs);
            } finally {
                delete(temporary);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Processes that a test left behind may still delete files of their own. */
    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (IOException | UncheckedIOException e) {
            directory.toFile().deleteOnExit();
        }
    }

    private List<String> command(Path overlay, List<String> tests, Path temporary) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM_ARGUMENTS);
        command.add("-Djava.io.tmpdir=" + temporary);
        if (module.directory().endsWith("proxy")) {
            command.add(LEAKS);
        }
        List<String> classPath = new ArrayList<>(overlay == null ? List.of() : List.of(overlay.toString()));
        classPath.addAll(List.of(module.classPath(), placeOf(LauncherFactory.class), placeOf(TestsMain.class)));
        command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), TestsMain.class.getName()));
        command.addAll(tests);
        return command;
    }

    private static String placeOf(Class<?> code) {
        return code.getProtectionDomain().getCodeSource().getLocation().getPath();
    }

    private Result await(List<String> command, long timeoutMs) throws IOException, InterruptedException {
        Path output = scratch.resolve("output");
        Process process = new ProcessBuilder(command)
                .directory(module.directory().toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = process.waitFor(timeoutMs, TimeUnit.MILLISECONDS);
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
        String failure = ended ? null : "no end within " + timeoutMs / 1000 + " s";
        Map<String, Long> tookMs = new HashMap<>();
        for (String line : new String(Files.readAllBytes(output), StandardCharsets.UTF_8)
                .lines()
                .toList()) {
            if (line.startsWith(TestsMain.FAILED)) {
                failure = line.substring(TestsMain.FAILED.length());
            } else if (line.startsWith(TestsMain.TOOK)) {
                String[] words = line.substring(TestsMain.TOOK.length()).split(" ");
                tookMs.put(words[0], Long.parseLong(words[1]));
            }
        }
        if (failure == null && process.exitValue() != 0) {
            failure = "ended with status " + process.exitValue();
        }
        return new Result(failure, tookMs);
    }
}
