package io.slipstream.softroce;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract that every provider is held to, over {@code verbs} and a kernel's RDMA stack. */
@Timeout(value = 12, unit = TimeUnit.MINUTES)
class SoftRoceContractIT {
    @ParameterizedTest
    @EnumSource
    void shouldHoldOverVerbs(GuestKernel kernel) throws IOException {
        SoftRoceMachine machine = SoftRoceMachine.of(kernel).withDeadline(Duration.ofMinutes(5));

        GuestReport report = GuestTests.of("contract", "rdma-transport", "io\\.slipstream\\.rdma\\.verbs\\..*Test")
                .runIn(machine);

        assertThat(report.skipped())
                .as("the device is there, so nothing is skipped")
                .isEmpty();
    }
}
