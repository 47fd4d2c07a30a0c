// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.generated;

import static io.slipstream.it.generated.FieldRule.NULL;
import static io.slipstream.it.generated.FieldRule.of;

import io.slipstream.harness.raw.Batches;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.Uuid;

/** Topics, their partitions, epochs, offsets and records. */
final class TopicRules {
    private static final String CHANGING =
            "(PRODUCE|DELETE_RECORDS|ADD_PARTITIONS_TO_TXN|ALTER_REPLICA_LOG_DIRS|CREATE_PARTITIONS"
                    + "|ALTER_PARTITION_REASSIGNMENTS|ELECT_LEADERS)";
    private static final String NO_NAME = "no legal name!";
    private static final String LONG_NAME = "x".repeat(300);

    private TopicRules() {}

    static List<FieldRule> all() {
        return List.of(
                of("CREATE_TOPICS.topics.name:.*")
                        .right(Draw::topicToCreate)
                        .wrong("", ".", NO_NAME, LONG_NAME)
                        .wrong(draw -> draw.names().topic().name()),
                of("CREATE_TOPICS.topics.num_partitions:.*").right(1).wrong(0, -5, -1),
                of("CREATE_TOPICS.topics.replication_factor:.*").right(1).wrong(0, -1, 5),
                of("CREATE_TOPICS.validate_only:.*").right(false),
                of("CREATE_PARTITIONS.topics.count:.*").right(2, 3, 4).wrong(0, -1, 1),
                of("DELETE_TOPICS.(topics.name|topic_names):.*")
                        .right(Draw::topicToCreate)
                        .wrong(Draw::missing)
                        .wrong("", NO_NAME, NULL),
                of("DELETE_TOPICS.topics.topic_id:.*").right(Uuid.ZERO_UUID).wrong(Names.UNKNOWN_ID),
                of("METADATA.topics.topic_id:.*").right(Uuid.ZERO_UUID).wrong(Names.UNKNOWN_ID),
                of(CHANGING + ".*.topic_id:.*")
                        .right(draw -> draw.names().changed().id())
                        .wrong(Names.UNKNOWN_ID, Uuid.ZERO_UUID),
                of(".*.topic_id:.*").right(draw -> draw.names().topic().id()).wrong(Names.UNKNOWN_ID, Uuid.ZERO_UUID),
                of(CHANGING + ".*(topics|topic_data).name:.*|ELECT_LEADERS.*.topic:.*")
                        .right(draw -> draw.names().changed().name())
                        .wrong("", NO_NAME, LONG_NAME)
                        .wrong(Draw::missing),
                of("STREAMS_GROUP_HEARTBEAT.*(changelog_topics.name|repartition_sink_topics|repartition_source_topics.name):.*")
                        .right(Draw::fresh)
                        .wrong(NO_NAME),
                of(".*(topics.name|.topic|topic_name|topic_names|.source_topics|sink_topic):.*STRING")
                        .right(draw -> draw.names().topic().name())
                        .wrong("", NO_NAME, LONG_NAME)
                        .wrong(Draw::missing),
                of("STREAMS_GROUP_HEARTBEAT.*(changelog|source)_topics.partitions:INT32")
                        .right(1)
                        .wrong(-1),
                of("(CREATE_TOPICS|CREATE_PARTITIONS|ALTER_PART.*).*.(broker_ids|replicas):.*")
                        .right(draw -> draw.names().nodeId())
                        .wrong(99, -1),
                of(".*.(partitions?|partition_index|partition_indexes|index):INT.*")
                        .right(0)
                        .wrong(99, -1),
                of(".*.replica_id:.*").right(-1).wrong(-2, 7),
                of(".*.(current_leader_epoch|last_fetched_epoch|committed_leader_epoch):.*")
                        .right(-1, 0)
                        .wrong(7, -2),
                of(".*.leader_epoch:.*").right(0).wrong(7, -2),
                of("LIST_OFFSETS.*.timestamp:.*").right(-1, -2, -3, 0).wrong(-77, Long.MAX_VALUE),
                of("LIST_OFFSETS.isolation_level:.*").right(0, 1).wrong(99, -1),
                of(".*.log_start_offset:.*").right(-1),
                of(".*.(offset|fetch_offset|committed_offset|start_offset|.*st_offset):INT64")
                        .right(0, 1)
                        .wrong(99, -7),
                of("(SHARE_)?FETCH.(share_)?session_epoch:.*").right(-1, 0).wrong(7, -2),
                of("FETCH.session_id:.*").right(0).wrong(123_456),
                of("PRODUCE.acks:.*").right(1, -1).wrong(5, -7),
                of("PRODUCE.transactional_id:.*").right(NULL).wrong(Draw::transactionalId),
                of("PRODUCE.*.records:.*")
                        .right(draw -> Batches.of(("record " + draw.serial()).getBytes(StandardCharsets.US_ASCII)))
                        .wrong(draw -> Batches.withWrongCrc(Batches.of(new byte[9]))));
    }
}
