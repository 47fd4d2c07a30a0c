// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.process.BrokerLine;
import java.util.stream.Stream;

/** All cases on the newest broker line. */
class DifferentialIT extends DifferentialSuite {
    DifferentialIT() {
        super(BrokerLine.NEWEST);
    }

    @Override
    Stream<Case> cases() {
        return allCases();
    }
}
