package io.slipstream.softroce;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.BrokerLine;
import io.slipstream.harness.ClassArchive;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A stock broker, the proxy and stock clients over {@code verbs}, and what may happen to them. */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class SoftRoceKafkaIT {
    @BeforeAll
    static void writeClassArchives() {
        ClassArchive.write(BrokerLine.NEWEST);
    }

    @ParameterizedTest
    @EnumSource
    void shouldLoseNothingOverVerbs(GuestKernel kernel) throws IOException {
        SoftRoceMachine machine =
                SoftRoceMachine.of(kernel).withDeadline(Duration.ofMinutes(10)).withMemoryMib(4096);

        GuestReport report = GuestTests.of("kafka", "integration-tests", "io\\.slipstream\\.it\\.fault\\..*InMachine")
                .runIn(machine);

        assertThat(report.skipped()).isEmpty();
    }
}
