package io.slipstream.it.differential;

import java.util.Map;
import java.util.stream.Stream;

/** The same cases where several proxies may place batches in a partition, each in a place that it reserves. */
class SharedDifferentialIT extends SegmentDifferentialIT {
    /** Each request writes to several partitions, and so takes no turn in any. */
    private static final String SEVERAL_PARTITIONS = "partitions-and-topics-in-one-request"
            + "|produce-(at-max-message-bytes|each-partition-wrong-in-turn|to-compacted-topic-some-without-key)";

    private static final String SOME =
            "codec-(none|zstd)|acks.*|pipelined.*|headers.*|produce-(every-version|each-.*|large-.*|log-append.*|wrong-crc|while-segments-roll)";

    static boolean mustBePlaced(Case example) {
        return SegmentDifferentialIT.mustBePlaced(example) && !example.name().matches(SEVERAL_PARTITIONS);
    }

    /** Some of each kind: what is not about turns is the same as with one proxy. {@code -Dslipstream.cases='.*'} has all of them. */
    @Override
    Stream<Case> cases() {
        String chosen = System.getProperty("slipstream.cases");
        return super.cases().filter(each -> chosen != null || each.name().matches(SOME));
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
