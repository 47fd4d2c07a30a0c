package io.slipstream.it.differential;

import io.slipstream.harness.BrokerLine;
import java.util.Map;
import java.util.stream.Stream;

/** The cases again, with batches placed in segments wherever that is possible: the first request to a partition waits until it is. */
class SegmentDifferentialIT extends DifferentialSuite {
    SegmentDifferentialIT() {
        super(BrokerLine.NEWEST);
    }

    @Override
    Map<String, String> keys() {
        return Map.of("slipstream.landing", "segment");
    }

    @Override
    Stream<Case> cases() {
        return allCases();
    }
}
