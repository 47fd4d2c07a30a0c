package io.slipstream.it.differential;

import io.slipstream.harness.BrokerLine;
import java.util.stream.Stream;

/** The core cases on the older broker line. */
class OlderLineDifferentialIT extends DifferentialSuite {
    OlderLineDifferentialIT() {
        super(BrokerLine.KAFKA_4_3);
    }

    @Override
    Stream<Case> cases() {
        return allCases().filter(Case::core);
    }
}
