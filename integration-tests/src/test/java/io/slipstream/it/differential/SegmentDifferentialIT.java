package io.slipstream.it.differential;

import io.slipstream.harness.BrokerLine;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Cases of producing again, with batches placed in segments wherever that is possible: the first request to a partition waits until it is. All others
 * can be run so as well: {@code -Dslipstream.broker.properties=slipstream.landing=segment} with {@link DifferentialIT}.
 */
class SegmentDifferentialIT extends DifferentialSuite {
    private static final String CASES = "(codec|acks|produce|pipelined|headers)-?.*";
    /** What is too large for the ring and takes TCP ends a landing, and the partition rests after it. */
    private static final String NOT = "produce-larger-than-ring";

    SegmentDifferentialIT() {
        super(BrokerLine.NEWEST);
    }

    @Override
    Map<String, String> keys() {
        return Map.of("slipstream.landing", "segment");
    }

    @Override
    Stream<Case> cases() {
        return allCases()
                .filter(each -> each.name().matches(CASES) && !each.name().equals(NOT));
    }
}
