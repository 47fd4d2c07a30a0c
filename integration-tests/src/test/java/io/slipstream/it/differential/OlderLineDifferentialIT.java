// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.process.BrokerLine;
import java.util.List;
import java.util.stream.Stream;

/** The core cases on the older broker line. */
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
        return allCases().filter(Case::core);
    }
}
