package io.slipstream.softroce;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.BrokerLine;
import io.slipstream.harness.ClassArchive;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Over {@code verbs} and a kernel's RDMA stack: the contract that every provider is held to, then a stock broker, the proxy and stock
 * clients, and what may happen to them; and what a broker without the agent answers, compared. The emulated machine is slow, so long loops of the
 * contract go round a hundredth as often as on the host; {@code -Dslipstream.contract.rounds.divisor=1} has them whole. In the same way
 * {@code -Dslipstream.cases=.*} has all cases of producing and fetching.
 */
@Timeout(value = 40, unit = TimeUnit.MINUTES)
class SoftRoceVerbsIT {
    /** The other tests of the provider need no device and have run on the host. */
    private static final String CONTRACT = "io\\.slipstream\\.rdma\\.verbs\\.(Verbs\\w*Test|\\w+InMachine)";

    private static final String KAFKA = "io\\.slipstream\\.it\\.fault\\.\\w+InMachine";

    private static final String DIFFERENTIAL = "io\\.slipstream\\.it\\.differential\\.\\w+InMachine";

    /** Of each kind one, for all of them take half an hour. */
    private static final String CASES =
            "codec-zstd|partitions-and-topics-in-one-request|duplicate-sequence|transaction-committed|pipelined-produce"
                    + "|fetch-within-batches|session-turns";

    private static final List<String> ARCHIVED =
            List.of("io.slipstream.rdma.shm.ShmOperationsTest", "io.slipstream.it.fault.StockStreamIT");

    private static GuestTests tests;

    @BeforeAll
    static void writeClassArchives() throws IOException {
        ClassArchive.write(BrokerLine.NEWEST);
        tests = GuestTests.of("verbs", List.of("rdma-transport", "integration-tests"), ARCHIVED);
    }

    /** On the kernel whose loopback is faster; {@code -Dslipstream.softroce.kernel=DEBIAN_6_12} for the other. */
    @Test
    void shouldAnswerAsWithoutUsAndPlaceBatchesOverVerbs() throws IOException {
        GuestKernel kernel = GuestKernel.valueOf(System.getProperty("slipstream.softroce.kernel", "DEBIAN_6_1"));
        boolean all = System.getProperty("slipstream.cases") != null;
        SoftRoceMachine machine = SoftRoceMachine.of(kernel)
                .withDeadline(Duration.ofMinutes(all ? 38 : 18))
                .withMemoryMib(4096);

        tests.others("produce")
                .with(DIFFERENTIAL)
                .withProperty("slipstream.cases", CASES)
                .withProperty("slipstream.placing", "segment")
                .runIn(machine);
    }

    @ParameterizedTest
    @EnumSource
    void shouldHoldAndLoseNothingOverVerbs(GuestKernel kernel) throws IOException {
        SoftRoceMachine machine =
                SoftRoceMachine.of(kernel).withDeadline(Duration.ofMinutes(18)).withMemoryMib(4096);

        GuestReport report = tests.others("verbs")
                .with(CONTRACT)
                .with(KAFKA)
                .withProperty("slipstream.contract.rounds.divisor", "100")
                .withProperty("slipstream.landing", "ring")
                .runIn(machine);

        assertThat(report.skipped())
                .as("the device is there, so nothing is skipped")
                .isEmpty();
    }
}
