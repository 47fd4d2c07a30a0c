// SPDX-License-Identifier: Apache-2.0
package io.slipstream.softroce;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * JUnit classes run inside the machine by JUnit's console launcher, with one boot and one JVM. The reports are where
 * the build's totals look for them, {@code integration-tests/target/softroce-KERNEL-NAME-reports/TEST-*.xml}, next to
 * the output.
 */
final class GuestTests {
    /** Classes run by {@code @Order}, as far as they have it. */
    private static final String CLASSES_BY_ORDER =
            "junit.jupiter.testclass.order.default=org.junit.jupiter.api.ClassOrderer$OrderAnnotation";

    private final String name;
    private final GuestClassPath classPath;
    private final List<String> jvm;
    private final List<String> classNames = new ArrayList<>();
    private final List<String> properties = new ArrayList<>();

    private GuestTests(String name, GuestClassPath classPath, List<String> jvm) {
        this.name = name;
        this.classPath = classPath;
        this.jvm = jvm;
    }

    /**
     * @param name a word, unique among the tests: part of the reports' directory name
     * @param modules the modules' directories in the checkout
     * @param archived full names of tests that run on this host first, to load their classes
     */
    static GuestTests of(String name, List<String> modules, List<String> archived) throws IOException {
        GuestClassPath classPath = new GuestClassPath(
                modules.stream().map(Checkout.root()::resolve).toList());
        List<String> jvm = new ArrayList<>();
        jvm.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        jvm.addAll(jvmArguments());
        jvm.add(classPath.archive(jvm, archived));
        return new GuestTests(name, classPath, jvm);
    }

    /** Returns an empty selection of the same modules, without another archive. */
    GuestTests others(String otherName) {
        return new GuestTests(otherName, classPath, jvm);
    }

    /** Adds tests whose full names match. */
    GuestTests with(String fullNames) {
        classNames.add(fullNames);
        return this;
    }

    /** Sets a system property of the JVM in the machine: the value given to this JVM, or else the default. */
    GuestTests withProperty(String key, String otherwise) {
        properties.add("-D" + key + "=" + System.getProperty(key, otherwise));
        return this;
    }

    /** Fails if a test fails, if the machine does not complete, or if no test ran. */
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

    private List<String> command(Path reports) {
        List<String> command = new ArrayList<>(jvm);
        command.addAll(properties);
        command.addAll(List.of("-cp", classPath.value(), "org.junit.platform.console.ConsoleLauncher", "execute"));
        command.addAll(List.of("--scan-class-path", classPath.tests()));
        classNames.forEach(names -> command.addAll(List.of("--include-classname", names)));
        command.addAll(List.of("--config", CLASSES_BY_ORDER, "--reports-dir", reports.toString()));
        command.addAll(List.of("--fail-if-no-tests"));
        command.addAll(List.of("--details", "testfeed", "--disable-banner", "--disable-ansi-colors"));
        return command;
    }

    /** Returns the flags of the JVMs that run the tests on the host. */
    private static List<String> jvmArguments() {
        String arguments = System.getProperty("slipstream.test.jvm.args");
        assertThat(arguments)
                .as("slipstream.test.jvm.args, which the build sets")
                .isNotNull();
        return List.of(arguments.strip().split("\\s+"));
    }
}
