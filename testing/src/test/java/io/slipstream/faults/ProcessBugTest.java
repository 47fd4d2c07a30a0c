// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.planted.PlantedBug;
import io.slipstream.planted.PlantedBugs;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class ProcessBugTest {
    /** A renamed class or method must not lose a bug that no build draws for a while. */
    @ParameterizedTest
    @FieldSource("io.slipstream.faults.ProcessBug#ALL")
    void shouldNameAMethodOfTheCode(ProcessBug bug) throws ClassNotFoundException {
        PlantedBug planted = PlantedBugs.named(bug.name());
        Class<?> target = Class.forName(planted.className(), false, getClass().getClassLoader());

        assertThat(Stream.concat(
                        Stream.of("<init>"),
                        Arrays.stream(target.getDeclaredMethods()).map(Method::getName)))
                .contains(planted.method());
        assertThat(bug.anomalies()).isNotEmpty();
        assertThat(ProcessBug.named(bug.name())).isEqualTo(bug);
    }
}
