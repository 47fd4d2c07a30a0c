package io.slipstream.softroce;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.Checkout;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * JUnit classes, run inside the machine by JUnit's console launcher: one boot and one JVM for all of them. The reports are where the build's
 * totals look for them, {@code integration-tests/target/softroce-KERNEL-NAME-reports/TEST-*.xml}, next to the output.
 *
 * <p>Needs what the phase {@code package} leaves of the modules: classes and {@code target/test.classpath}.
 */
final class GuestTests {
    private static final Path CONSOLE = Checkout.root().resolve("integration-tests/target/junit-console.classpath");

    private final String name;
    private final List<Path> modules = new ArrayList<>();
    private final List<String> classNames = new ArrayList<>();
    private final List<String> properties = new ArrayList<>();

    private GuestTests(String name) {
        this.name = name;
    }

    /** @param name a word, unique among the tests: part of the name of the reports' directory */
    static GuestTests named(String name) {
        return new GuestTests(name);
    }

    /**
     * @param module    the module's directory in the checkout
     * @param fullNames regular expression of full class names
     */
    GuestTests with(String module, String fullNames) {
        modules.add(Checkout.root().resolve(module));
        classNames.add(fullNames);
        return this;
    }

    /** A system property of the JVM in the machine: as given to this JVM, or else that value. */
    GuestTests withProperty(String key, String otherwise) {
        properties.add("-D" + key + "=" + System.getProperty(key, otherwise));
        return this;
    }

    /** Fails if a test fails, if the machine does not get through, or if nothing at all was tested. */
    GuestReport runIn(SoftRoceMachine machine) throws IOException {
        String series = machine.kernel().series();
        Path reports = Checkout.root().resolve("integration-tests/target/softroce-" + series + "-" + name + "-reports");
        Path xml = reports.resolve("TEST-junit-jupiter.xml");
        Files.deleteIfExists(xml);
        GuestRun run = machine.run(command(reports), Checkout.root(), reports.resolve(name + "-output.txt"));
        assertThat(xml).as("report of %s", run).exists();
        GuestReport report = GuestReport.read(xml);
        System.out.printf(
                "%s on %s: %s, %d s%n",
                name, machine.kernel(), report, run.took().toSeconds());
        assertThat(report.failed())
                .as("tests that failed on %s; output in %s", machine.kernel(), run.log())
                .isEmpty();
        run.succeeded();
        assertThat(report.passed()).as("tests that passed, %s; %s", report, run).isPositive();
        return report;
    }

    private List<String> command(Path reports) throws IOException {
        List<String> jars = new ArrayList<>();
        List<String> directories = new ArrayList<>();
        List<String> testClasses = new ArrayList<>();
        jars.add(Files.readString(built(CONSOLE)).strip());
        for (Path module : modules) {
            jars.add(Files.readString(built(module.resolve("target/test.classpath")))
                    .strip());
            testClasses.add(built(module.resolve("target/test-classes")).toString());
            directories.add(built(module.resolve("target/classes")).toString());
        }
        // Directories last: to look for a class where it is not is slow in the machine.
        directories.addAll(0, testClasses);
        jars.addAll(directories);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmArguments());
        command.addAll(properties);
        command.addAll(List.of("-cp", joined(jars), "org.junit.platform.console.ConsoleLauncher", "execute"));
        command.addAll(List.of("--scan-class-path", joined(testClasses)));
        classNames.forEach(names -> command.addAll(List.of("--include-classname", names)));
        command.addAll(List.of("--reports-dir", reports.toString(), "--fail-if-no-tests"));
        command.addAll(List.of("--details", "testfeed", "--disable-banner", "--disable-ansi-colors"));
        return command;
    }

    private static String joined(List<String> classPath) {
        return String.join(File.pathSeparator, classPath);
    }

    /** Those of the JVMs that run the tests on the host. */
    private static List<String> jvmArguments() {
        String arguments = System.getProperty("slipstream.test.jvm.args");
        assertThat(arguments)
                .as("slipstream.test.jvm.args, which the build sets")
                .isNotNull();
        return List.of(arguments.strip().split("\\s+"));
    }

    private static Path built(Path artefact) {
        assertThat(artefact).as("build it with: mvn -q -DskipTests package").exists();
        return artefact;
    }
}
