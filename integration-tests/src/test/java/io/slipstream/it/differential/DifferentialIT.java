// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.process.BrokerLine;
import java.util.Map;
import java.util.stream.Stream;

/** All cases on the newest broker line. */
class DifferentialIT extends DifferentialSuite {
    DifferentialIT() {
        super(BrokerLine.NEWEST);
    }

    @Override
    Map<String, String> keys() {
        return Map.of("slipstream.topics.excluded", SplitFetchCases.excludedTopics());
    }

    @Override
    Stream<Case> cases() {
        return Stream.concat(allCases(), SplitFetchCases.all().stream());
    }
}
