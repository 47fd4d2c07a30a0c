// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.generated;

import static io.slipstream.it.generated.FieldRule.NULL;
import static io.slipstream.it.generated.FieldRule.of;

import java.util.List;

/** Groups, their members, and transactions. */
final class GroupRules {
    private static final String MEMBER = "member";
    private static final String OF_SHARE_GROUPS =
            "((DESCRIBE|ALTER|DELETE)_SHARE_GROUP_OFFSETS|SHARE_FETCH|SHARE_ACKNOWLEDGE).";
    /** Each joins a group of its own, or describes that of the heartbeat in front. */
    private static final String JOINING = "(CONSUMER|SHARE|STREAMS)_GROUP_(HEARTBEAT|DESCRIBE|TOPOLOGY.*).";

    private GroupRules() {}

    static List<FieldRule> all() {
        return List.of(
                of("JOIN_GROUP.group_id:.*").right(Draw::fresh).wrong(""),
                // A group without a name can have offsets, too, and would be everybody's.
                of("TXN_OFFSET_COMMIT.group_id:.*").right(Draw::fresh).wrong(Draw::missing),
                of("OFFSET_COMMIT.group_id:.*")
                        .right(draw -> draw.names().group())
                        .wrong(Draw::missing),
                of(JOINING + "group_ids?:.*")
                        .right(GroupRules::joined)
                        .wrong("")
                        .wrong(Draw::missing),
                of(OF_SHARE_GROUPS + "(groups.)?group_id:.*")
                        .right(draw -> draw.names().shareGroup())
                        .wrong("")
                        .wrong(Draw::missing),
                // Of a partition that does not exist, Kafka 4.4.0 answers after half a minute.
                of("DESCRIBE_SHARE_GROUP_OFFSETS.*.partitions:INT32").right(0),
                of("DELETE_GROUPS.groups_names:.*")
                        .right(draw -> draw.names().groupToDelete(draw.sent().isEarly()))
                        .wrong("")
                        .wrong(Draw::missing),
                of(".*.(group_id|groups):STRING|FIND_COORDINATOR.(key|coordinator_keys):STRING")
                        .right(draw -> draw.names().group())
                        .wrong("")
                        .wrong(Draw::missing),
                of("FIND_COORDINATOR.key_type:.*").right(0, 1).wrong(2, 99, -1),
                of("CONSUMER_GROUP_HEARTBEAT.member_id:.*")
                        .right(draw -> draw.sent().version() == 0 ? "" : MEMBER)
                        .wrong(""),
                of("(SHARE|STREAMS)_.*.member_id:.*").right(MEMBER).wrong("", NULL),
                of("OFFSET_FETCH.*.member_id:.*").right(NULL).wrong("", MEMBER),
                of("(JOIN_GROUP|OFFSET_COMMIT|TXN_OFFSET_COMMIT).member_id:.*")
                        .right("")
                        .wrong(MEMBER),
                of(".*.member_id:.*").right(MEMBER).wrong(""),
                of("(OFFSET|TXN_OFFSET)_.*.(generation_id_or_member_epoch|member_epoch):.*")
                        .right(-1)
                        .wrong(7, -2),
                of(".*.(generation_id|member_epoch):.*").right(0).wrong(7, -1, -2),
                of(".*.(group_instance_id|instance_id|rack_id|subscribed_topic_regex|server_assignor):.*STRING")
                        .right(NULL)
                        .wrong("", "some"),
                of(".*.protocol_type:.*").right("consumer").wrong("", "other"),
                of(".*.(protocols.name|protocol_name):.*").right("range").wrong("", "other"),
                of(".*.topology_epoch:.*").right(0).wrong(7, -1),
                of(".*.transactional_ids?:.*")
                        .right(Draw::transactionalId)
                        .wrong("")
                        .wrong(Draw::missing),
                of("LIST_TRANSACTIONS.transactional_id_pattern:.*")
                        .right(Draw::fresh)
                        .wrong("["),
                of("INIT_PRODUCER_ID.producer_(id|epoch):.*").right(-1).wrong(99, -2),
                of(".*producer_id:.*").right(draw -> draw.producer().id()).wrong(99_999, -1),
                of(".*producer_epoch:.*").right(draw -> draw.producer().epoch()).wrong(99, -1));
    }

    private static Object joined(Draw draw) {
        String kind = draw.sent().api().name().split("_", 2)[0];
        boolean describes = draw.sent().api().name().endsWith("DESCRIBE");
        return draw.wrong() && !describes
                ? draw.fresh()
                : draw.names().own() + '-' + kind + draw.sent().isEarly();
    }
}
