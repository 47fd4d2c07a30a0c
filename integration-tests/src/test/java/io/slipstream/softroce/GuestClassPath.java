// SPDX-License-Identifier: Apache-2.0
package io.slipstream.softroce;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.Checkout;
import io.slipstream.process.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.spi.ToolProvider;

/**
 * The class path of tests of some modules: jars only, because the JVM archives no classes of directories (JEP 350). A
 * few tests on this host write the archive, with which a JVM in the slow machine need not parse classes.
 *
 * <p>Needs the output of the phase {@code package}: classes and {@code target/test.classpath}.
 */
final class GuestClassPath {
    private static final Path TARGET = Checkout.root().resolve("integration-tests/target");
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** Without duplicates and non-jars, which would make the JVM reject the archive as one of another class path. */
    private final Set<String> entries = new LinkedHashSet<>();

    private final List<String> tests = new ArrayList<>();
    private final Path archive = TARGET.resolve("class-archives/guest.jsa");

    /** Writes the jars. */
    GuestClassPath(List<Path> modules) throws IOException {
        addJars(TARGET.resolve("junit-console.classpath"));
        for (Path module : modules) {
            addJars(module.resolve("target/test.classpath"));
            String testJar = jar(module, "test-classes");
            tests.add(testJar);
            entries.add(testJar);
            if (Files.exists(module.resolve("target/classes"))) {
                entries.add(jar(module, "classes"));
            }
        }
    }

    private void addJars(Path classPathFile) throws IOException {
        for (String entry : Files.readString(built(classPathFile)).strip().split(File.pathSeparator)) {
            if (entry.endsWith(".jar")) {
                entries.add(entry);
            }
        }
    }

    String value() {
        return String.join(File.pathSeparator, entries);
    }

    /** Returns the roots for test discovery. */
    String tests() {
        return String.join(File.pathSeparator, tests);
    }

    /**
     * Runs these tests on this host to load their classes, whatever their results. Returns the flag for the archive.
     */
    String archive(List<String> jvm, List<String> testClasses) throws IOException {
        Files.createDirectories(archive.getParent());
        Files.deleteIfExists(archive);
        List<String> command = new ArrayList<>(jvm);
        command.add("-XX:ArchiveClassesAtExit=" + archive);
        command.addAll(List.of("-cp", value(), "org.junit.platform.console.ConsoleLauncher", "execute"));
        testClasses.forEach(name -> command.addAll(List.of("--select-class", name)));
        ChildProcess run = ChildProcess.start(
                "tests to be archived", command, Checkout.root(), archive.resolveSibling("guest.log"));
        run.awaitExit(PATIENCE);
        run.stop();
        assertThat(archive).as("archive of classes%s", run.logTail()).isRegularFile();
        return "-XX:SharedArchiveFile=" + archive;
    }

    private static String jar(Path module, String directory) throws IOException {
        Path jar = TARGET.resolve("guest/" + module.getFileName() + '-' + directory + ".jar");
        Files.createDirectories(jar.getParent());
        String content = built(module.resolve("target").resolve(directory)).toString();
        int status = ToolProvider.findFirst("jar")
                .orElseThrow()
                .run(System.out, System.err, "--create", "--file", jar.toString(), "-C", content, ".");
        assertThat(status).as("exit status of jar for %s", jar).isZero();
        return jar.toString();
    }

    private static Path built(Path artefact) {
        assertThat(artefact).as("build it with: mvn -q -DskipTests package").exists();
        return artefact;
    }
}
