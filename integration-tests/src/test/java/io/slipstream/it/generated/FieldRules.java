// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.generated;

import static io.slipstream.it.generated.FieldRule.NOTHING;
import static io.slipstream.it.generated.FieldRule.NULL;
import static io.slipstream.it.generated.FieldRule.ONE;
import static io.slipstream.it.generated.FieldRule.of;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Values by the path of a field; the first matching rule counts. A field without a rule gets a value of its type. No
 * value may reach what belongs to others: everybody's quota, all groups, brokers that exist, internal topics.
 */
final class FieldRules {
    private static final List<FieldRule> ALL = Stream.of(
                    shapes(), GroupRules.all(), TopicRules.all(), AdminRules.all(), limits(), types())
            .flatMap(List::stream)
            .toList();

    /** The same paths are asked for again and again. */
    private static final Map<String, FieldRule> FOUND = new ConcurrentHashMap<>();

    private FieldRules() {}

    /** @param path with the name of the API in front and that of the type behind, as in {@link FieldRule} */
    static FieldRule find(String path, String type) {
        return FOUND.computeIfAbsent(
                path + ":" + type,
                typed -> ALL.stream()
                        .filter(rule -> rule.path().matcher(typed).matches())
                        .findFirst()
                        .orElseThrow(() -> new IllegalStateException("no rule for " + typed)));
    }

    /** Arrays and structures that are usually empty. All others have one element. */
    private static List<FieldRule> shapes() {
        return List.of(
                of("(SHARE_)?FETCH.forgotten_topics_data:ARRAY").right(NOTHING).wrong(ONE),
                of("SHARE_.*acknowledgement_batches:ARRAY").right(NOTHING).wrong(ONE),
                of("CREATE_TOPICS.topics.assignments:ARRAY").right(NOTHING).wrong(ONE),
                of("CREATE_PARTITIONS.topics.assignments:ARRAY").right(NULL).wrong(ONE, NOTHING),
                of(".*.replicas:ARRAY").right(ONE).wrong(NULL, NOTHING),
                of("ALTER_USER_SCRAM_CREDENTIALS.deletions:ARRAY")
                        .right(NOTHING)
                        .wrong(ONE),
                of("CONSUMER_GROUP_HEARTBEAT.topic_partitions:ARRAY")
                        .right(NOTHING)
                        .wrong(ONE, NULL),
                of("STREAMS_GROUP_HEARTBEAT.topology.subtopologies(.source_topics)?:ARRAY")
                        .right(ONE),
                of("STREAMS_GROUP_HEARTBEAT.topology:STRUCT").right(ONE).wrong(NULL),
                of("STREAMS_GROUP_HEARTBEAT.(client_tags|.*_offsets):ARRAY").right(NOTHING, ONE),
                of("STREAMS_GROUP_HEARTBEAT.*:ARRAY").right(NOTHING).wrong(ONE),
                of("STREAMS_GROUP_HEARTBEAT.user_endpoint:STRUCT").right(NULL, ONE),
                of("DESCRIBE_TOPIC_PARTITIONS.cursor:STRUCT").right(NULL).wrong(ONE),
                of(".*:(ARRAY|STRUCT)").right(ONE));
    }

    /** Times and sizes. None makes a broker wait, or reserve memory. */
    private static List<FieldRule> limits() {
        return List.of(
                of(".*.max_wait_ms:.*").right(0, 5).wrong(-1),
                of(".*[.]timeout_ms:.*").right(10_000),
                of(".*.(session|rebalance)_timeout_ms:.*").right(30_000, 60_000).wrong(0, -1, 7),
                of(".*.transaction_timeout_ms:.*").right(600_000).wrong(0, -1, Integer.MAX_VALUE),
                of(".*.retention_time_ms:.*").right(-1L),
                of(".*.min_bytes:.*").right(0, 1).wrong(-1),
                of(".*.(max_bytes|partition_max_bytes|max_records|batch_size|response_partition_limit):.*")
                        .right(100, 1 << 20)
                        .wrong(0, -1));
    }

    /** Fields without another rule. */
    private static List<FieldRule> types() {
        return List.of(
                of(".*:BOOLEAN").right(true, false),
                of(".*:UINT16").right(9092).wrong(0),
                of(".*:INT8").right(0, 1).wrong(99, -1),
                of(".*:INT(16|32|64)").right(0, 1).wrong(99, -1, -7),
                of(".*:FLOAT64").right(1e9, 12_345.5).wrong(-1.0, Double.NaN),
                of(".*:UUID").right(draw -> draw.names().topic().id()).wrong(Names.UNKNOWN_ID),
                of(".*:BYTES").right(new byte[8]).wrong(new byte[0], new byte[] {1, -2, 3}),
                of(".*:STRING")
                        .right("text")
                        .right(Draw::fresh)
                        .wrong("", "no legal name!", "\u00e9\u4e00")
                        .wrong(Draw::missing));
    }
}
