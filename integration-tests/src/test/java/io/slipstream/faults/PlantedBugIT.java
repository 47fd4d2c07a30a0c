// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.it.Seed;
import io.slipstream.it.Thorough;
import io.slipstream.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A bug is planted in the packaged proxy or plugin, and the judge of fault runs must report it. */
class PlantedBugIT {
    /** One drawn by the seed, or all of them with {@code -Pthorough}. */
    static List<ProcessBug> bugs() {
        return Thorough.isAsked() ? ProcessBug.ALL : List.of(ProcessBug.of(new SplittableRandom(Seed.ofRun())));
    }

    @ParameterizedTest
    @MethodSource("bugs")
    @Timeout(value = 3, unit = TimeUnit.MINUTES)
    void shouldReportThePlantedBug(ProcessBug bug) throws IOException {
        Path directory = Files.createDirectories(Checkout.root().resolve("integration-tests/target/faults"));

        assertThat(new PlantedRun(bug, directory, System.out).run(Seed.ofRun()))
                .as("reported anomalies of %s (./slipstream faults --planted %s)", bug, bug.name())
                .isNotEmpty();
    }
}
