// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.layering;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.slipstream.process.BrokerCluster;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The direction of dependency between the modules, read from their class files. */
class LayeringTest {
    static Stream<Module> modules() {
        return Module.ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("modules")
    void shouldOnlyNameWhatLiesBelow(Module module) {
        JavaClasses classes = module.classes();

        assertThat(classes.size()).as("classes of %s", module.path()).isPositive();
        assertThat(module.violations(classes)).isEmpty();
    }

    /** That the test above can fail: a fixture may not name its own package once it poses as another module. */
    @Test
    void shouldSeeAReversedArrow() {
        Module below = new Module("below", Set.of("io.slipstream.metrics"), Set.of("org.apache.kafka"));
        JavaClasses classes = new ClassFileImporter().importClasses(BrokerCluster.class);

        assertThat(below.violations(classes))
                .contains("below: io.slipstream.process.BrokerCluster names io.slipstream.process.BrokerProcess")
                .contains("below: io.slipstream.process.BrokerCluster names org.apache.kafka.common.Uuid");
    }
}
