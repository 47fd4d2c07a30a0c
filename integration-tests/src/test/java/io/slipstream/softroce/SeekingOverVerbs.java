// SPDX-License-Identifier: Apache-2.0
package io.slipstream.softroce;

import io.slipstream.process.BrokerLine;
import io.slipstream.process.ClassArchive;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Consumers that seek everywhere, over {@code verbs} in the Soft-RoCE machine. It takes 3 minutes, so its name excludes
 * it from every build. Run it with {@code mvn verify -Dit.test=SeekingOverVerbs}; {@code -Dslipstream.read.seconds}
 * sets the time.
 */
@Timeout(value = 40, unit = TimeUnit.MINUTES)
class SeekingOverVerbs {
    @Test
    void shouldDeliverTheWrittenRecordsAtEveryOffset() throws IOException {
        ClassArchive.write(BrokerLine.NEWEST);
        SoftRoceMachine machine = SoftRoceMachine.of(GuestKernel.DEBIAN_6_1)
                .withDeadline(Duration.ofMinutes(38))
                .withMemoryMib(6144);
        GuestTests.of("seek", List.of("rdma-transport", "integration-tests"), List.of())
                .with("io\\.slipstream\\.it\\.read\\.\\w+InMachine")
                .withProperty("slipstream.read.seconds", "60")
                .runIn(machine);
    }
}
