package io.slipstream.softroce;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The contract that every provider is held to, over {@code verbs} and a kernel's RDMA stack. The emulated machine is slow, so long loops go
 * round a hundredth as often as on the host; {@code -Dslipstream.contract.rounds.divisor=1} has them whole.
 */
@Timeout(value = 25, unit = TimeUnit.MINUTES)
class SoftRoceContractIT {
    /** The other tests of the provider need no device and have run on the host. */
    private static final String OVER_A_DEVICE = "io\\.slipstream\\.rdma\\.verbs\\.(Verbs\\w*Test|\\w+InMachine)";

    @ParameterizedTest
    @EnumSource
    void shouldHoldOverVerbs(GuestKernel kernel) throws IOException {
        SoftRoceMachine machine = SoftRoceMachine.of(kernel).withDeadline(Duration.ofMinutes(8));

        GuestReport report = GuestTests.of("contract", "rdma-transport", OVER_A_DEVICE)
                .withProperty("slipstream.contract.rounds.divisor", "100")
                .runIn(machine);

        assertThat(report.skipped())
                .as("the device is there, so nothing is skipped")
                .isEmpty();
    }
}
