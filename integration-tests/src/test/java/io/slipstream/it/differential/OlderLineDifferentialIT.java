// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.it.Seed;
import io.slipstream.it.Thorough;
import io.slipstream.process.BrokerLine;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.EnabledIf;

/** The core cases on the older broker line. A build takes half of them, by its seed; {@code -Pthorough} takes all. */
@EnabledIf(value = "io.slipstream.it.Thorough#drawsFirst", disabledReason = "not drawn in this build")
class OlderLineDifferentialIT extends DifferentialSuite {
    OlderLineDifferentialIT() {
        super(BrokerLine.KAFKA_4_3);
    }

    /** Cases that switch RDMA off, lose the link or fall back cover TCP. */
    @Override
    List<ArmKind> kinds() {
        return List.of(ArmKind.DIRECT, ArmKind.PROXY_RDMA);
    }

    @Override
    Stream<Case> cases() {
        Random random = new Random(Seed.ofRun());
        return allCases().filter(Case::core).filter(each -> random.nextBoolean() || Thorough.isAsked());
    }
}
