package io.slipstream.it.differential;

import java.util.Map;

/** The same cases where several proxies may place batches in a partition, each in a place that it reserves. */
class SharedDifferentialIT extends SegmentDifferentialIT {
    /** Each request writes to several partitions, and so takes no turn in any. */
    private static final String SEVERAL_PARTITIONS = "partitions-and-topics-in-one-request"
            + "|produce-(at-max-message-bytes|each-partition-wrong-in-turn|to-compacted-topic-some-without-key)";

    static boolean mustBePlaced(Case example) {
        return SegmentDifferentialIT.mustBePlaced(example) && !example.name().matches(SEVERAL_PARTITIONS);
    }

    @Override
    Map<String, String> keys() {
        return Map.of("slipstream.landing", "shared");
    }

    @Override
    boolean isPlaced(Case example) {
        return mustBePlaced(example);
    }
}
