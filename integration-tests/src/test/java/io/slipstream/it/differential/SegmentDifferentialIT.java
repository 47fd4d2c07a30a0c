package io.slipstream.it.differential;

import io.slipstream.harness.BrokerLine;
import java.util.List;
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

    /**
     * Cases of producing of which not one batch needs to be placed: nothing is produced, or the topic recompresses, or has segments smaller than a window, or
     * all batches are of transactions, or the producer's first request is one that ends a landing.
     */
    private static final String NOT_PLACED =
            "acks-(0-to-unknown-partition|invalid)|pipelined-empty-fetches|transaction.*"
                    + "|produce-(unknown-.*|nothing|recompressed-.*|to-compacted-topic-without-key|log-append-time-in-each-codec"
                    + "|grown-beyond-max-message-bytes|larger-than-segment|while-segments-roll)";

    static boolean mustBePlaced(Case example) {
        return !example.name().matches(NOT_PLACED);
    }

    SegmentDifferentialIT() {
        super(BrokerLine.NEWEST);
    }

    @Override
    Map<String, String> keys() {
        return Map.of("slipstream.landing", "segment");
    }

    /** Without the proxy that uses TCP only: where batches land is nothing to it, and {@link DifferentialIT} has it. */
    @Override
    List<ArmKind> kinds() {
        return List.of(ArmKind.DIRECT, ArmKind.PROXY_RDMA);
    }

    @Override
    boolean isPlaced(Case example) {
        return mustBePlaced(example);
    }

    @Override
    Stream<Case> cases() {
        return allCases()
                .filter(each -> each.name().matches(CASES) && !each.name().equals(NOT));
    }
}
