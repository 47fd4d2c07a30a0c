// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.layering;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The direction of dependency between the modules, read from their class files. */
class LayeringTest {
    static Stream<Module> modules() {
        return Module.ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("modules")
    void shouldOnlyNameLowerModules(Module module) {
        JavaClasses classes = module.classes();

        assertThat(classes.size()).as("classes of %s", module.path()).isPositive();
        assertThat(module.violations(classes)).isEmpty();
    }

    /** Benchmarks and fuzz targets stay out of the packages of production code. */
    @ParameterizedTest
    @CsvSource({
        "benchmarks/src/main/java, bench",
        "benchmarks/src/test/java, bench",
        "integration-tests/fuzz/src/test/java, fuzz"
    })
    void shouldHaveAPackageOfItsOwn(String sources, String ownPackage) throws IOException {
        Path slipstream = Checkout.root().resolve(sources).resolve("io/slipstream");
        try (Stream<Path> files = Files.walk(slipstream)) {
            assertThat(files.filter(Files::isRegularFile))
                    .isNotEmpty()
                    .allMatch(file -> file.startsWith(slipstream.resolve(ownPackage)));
        }
    }

    @Test
    void shouldHaveNoCycleOfPackages() {
        JavaClasses production = new ClassFileImporter().importPaths(Module.production());

        withoutCycles("io.slipstream").check(production);
    }

    /** The rule finds a cycle: two packages of the JDK that name each other. */
    @Test
    void shouldReportACycleOfPackages() {
        JavaClasses cycle = new ClassFileImporter().importClasses(Collection.class, Collectors.class, Stream.class);

        assertThat(withoutCycles("java").evaluate(cycle).hasViolation()).isTrue();
    }

    private static ArchRule withoutCycles(String root) {
        return SlicesRuleDefinition.slices().matching(root + ".(**)").should().beFreeOfCycles();
    }

    /** A class of another module breaks the rules of the lower one, so that the first test can fail. */
    @Test
    void shouldReportADependencyOnAHigherModule() {
        Module below = new Module("below", Set.of("io.slipstream.metrics"), Set.of("org.apache.kafka"));
        JavaClasses classes = new ClassFileImporter().importClasses(BrokerCluster.class);

        assertThat(below.violations(classes))
                .contains("below: io.slipstream.process.BrokerCluster names io.slipstream.process.BrokerProcess")
                .contains("below: io.slipstream.process.BrokerCluster names org.apache.kafka.common.Uuid");
    }
}
