// SPDX-License-Identifier: Apache-2.0
package io.slipstream.softroce;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.BrokerLine;
import io.slipstream.process.ClassArchive;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
            "codec-zstd|partitions-and-topics-in-one-request|transaction-committed|pipelined-produce"
                    + "|fetch-within-batches|session-turns";

    private static final List<String> ARCHIVED =
            List.of("io.slipstream.rdma.shm.ShmOperationsTest", "io.slipstream.it.fault.StockStreamIT");

    private static GuestTests tests;

    /** Of the comparison; faults strike on the other one. By default the one whose loopback is faster. */
    private static final GuestKernel COMPARING =
            GuestKernel.valueOf(System.getProperty("slipstream.softroce.kernel", "DEBIAN_6_1"));

    @BeforeAll
    static void writeClassArchives() throws IOException {
        ClassArchive.write(BrokerLine.NEWEST);
        ClassArchive.writeOfStockBroker(BrokerLine.NEWEST);
        tests = GuestTests.of("verbs", List.of("rdma-transport", "integration-tests"), ARCHIVED);
    }

    /** The contract holds on both kernels; what comes on top of it is on one of them each, for a machine and its JVMs take long to start. */
    @Test
    void shouldHoldAndAnswerAsWithoutUsOverVerbs() throws IOException {
        boolean all = System.getProperty("slipstream.cases") != null;
        run(
                tests.others("produce").with(DIFFERENTIAL).withProperty("slipstream.cases", CASES),
                COMPARING,
                all ? 38 : 18);
    }

    @Test
    void shouldHoldAndLoseNothingOverVerbs() throws IOException {
        GuestKernel kernel = COMPARING == GuestKernel.DEBIAN_6_1 ? GuestKernel.DEBIAN_6_12 : GuestKernel.DEBIAN_6_1;
        run(tests.others("verbs").with(KAFKA), kernel, 18);
    }

    private static void run(GuestTests chosen, GuestKernel kernel, int minutes) throws IOException {
        SoftRoceMachine machine = SoftRoceMachine.of(kernel)
                .withDeadline(Duration.ofMinutes(minutes))
                .withMemoryMib(4096);

        GuestReport report = chosen.with(CONTRACT)
                .withProperty("slipstream.contract.rounds.divisor", "100")
                .runIn(machine);

        assertThat(report.skipped())
                .as("the device is there, so nothing is skipped")
                .isEmpty();
    }
}
