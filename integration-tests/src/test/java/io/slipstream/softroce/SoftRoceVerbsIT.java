// SPDX-License-Identifier: Apache-2.0
package io.slipstream.softroce;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.it.Thorough;
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
 * Tests over {@code verbs} and a kernel's RDMA stack: the provider contract; a stock broker, the proxy and stock
 * clients under faults; and, drawn by the seed, either a small budget or the comparison with a direct client. The
 * emulated machine is slow, so long loops of the contract run a hundredth of the iterations, on the other kernel a
 * thousandth; {@code -Dslipstream.contract.rounds.divisor=1} runs all. {@code -Dslipstream.cases=.*} runs all produce
 * and fetch cases.
 */
@Timeout(value = 55, unit = TimeUnit.MINUTES)
class SoftRoceVerbsIT {
    /** The provider's other tests need no device and run on the host. */
    private static final String CONTRACT = "io\\.slipstream\\.rdma\\.verbs\\.(Verbs\\w*Test|\\w+InMachine)";

    /** Behaviour that depends on the kernel: memory and file registration, end of connections, wake-up of queues. */
    private static final String OF_THE_KERNEL =
            "io\\.slipstream\\.rdma\\.verbs\\.(Verbs(Operations|Resources|Connection|WakeUp)Test|NativeVerbsInMachine)";

    private static final String FAULTS = "io\\.slipstream\\.it\\.fault\\.\\w+InMachine";

    private static final List<String> BUDGET_AND_DIFFERENTIAL = List.of(
            "io\\.slipstream\\.it\\.isolation\\.\\w+InMachine", "io\\.slipstream\\.it\\.differential\\.\\w+InMachine");

    private static final String ROUNDS_DIVISOR = "slipstream.contract.rounds.divisor";

    /** All cases take half an hour. */
    private static final String CASES = "codec-zstd|pipelined-produce|session-turns"
            + (Thorough.isAsked()
                    ? "|partitions-and-topics-in-one-request|transaction-committed|fetch-within-batches"
                    : "");

    private static final List<String> ARCHIVED =
            List.of("io.slipstream.rdma.shm.ShmOperationsTest", "io.slipstream.it.fault.StockStreamIT");

    /** The kernel of all tests; the other one runs a part. The default has the faster loopback. */
    private static final GuestKernel KERNEL =
            GuestKernel.valueOf(System.getProperty("slipstream.softroce.kernel", "DEBIAN_6_1"));

    private static GuestTests tests;

    @BeforeAll
    static void writeClassArchives() throws IOException {
        ClassArchive.write(BrokerLine.NEWEST);
        ClassArchive.write(BrokerLine.KAFKA_4_3);
        ClassArchive.writeOfStockBroker(BrokerLine.NEWEST);
        tests = GuestTests.of("archive", List.of("rdma-transport", "integration-tests"), ARCHIVED);
    }

    /** One boot, one JVM and one broker, because all start slowly in the machine. */
    @Test
    void shouldMeetTheContractAnswerLikeABrokerAndLoseNothing() throws IOException {
        run(all("all"), KERNEL);
    }

    @Test
    void shouldMeetTheContractOnAnotherKernel() throws IOException {
        for (GuestKernel other : GuestKernel.values()) {
            if (other != KERNEL) {
                run(
                        Thorough.isAsked()
                                ? all("thorough")
                                : tests.others("kernel").with(OF_THE_KERNEL).withProperty(ROUNDS_DIVISOR, "1000"),
                        other);
            }
        }
    }

    private static GuestTests all(String name) {
        GuestTests chosen = tests.others(name).with(CONTRACT).with(FAULTS);
        boolean casesAreAsked = System.getProperty("slipstream.cases") != null;
        (casesAreAsked ? BUDGET_AND_DIFFERENTIAL : Thorough.drawn(BUDGET_AND_DIFFERENTIAL)).forEach(chosen::with);
        return chosen.withProperty(ROUNDS_DIVISOR, "100")
                .withProperty("slipstream.cases", CASES)
                .withProperty("slipstream.thorough", "false");
    }

    private static void run(GuestTests chosen, GuestKernel kernel) throws IOException {
        SoftRoceMachine machine = SoftRoceMachine.of(kernel)
                .withDeadline(Duration.ofMinutes(System.getProperty("slipstream.cases") == null ? 30 : 38))
                .withMemoryMib(4096);

        GuestReport report = chosen.runIn(machine);

        assertThat(report.skipped())
                .as("skipped tests, although the device exists")
                .isEmpty();
    }
}
