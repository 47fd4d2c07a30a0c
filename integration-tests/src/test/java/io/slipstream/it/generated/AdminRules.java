// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.generated;

import static io.slipstream.it.generated.FieldRule.NULL;
import static io.slipstream.it.generated.FieldRule.of;

import java.util.List;
import org.apache.kafka.common.Uuid;

/** Configuration, ACLs, quotas, credentials, tokens, telemetry, and brokers that do not exist. */
final class AdminRules {
    private static final int TOPIC = 2;
    private static final int LITERAL = 3;
    private static final int ALTER = 7;
    private static final int ALLOW = 3;
    private static final int NO_NODE = 99;

    private AdminRules() {}

    static List<FieldRule> all() {
        return List.of(
                of("(DESCRIBE|ALTER|INCREMENTAL_ALTER)_CONFIGS.resources.resource_type:.*")
                        .right(TOPIC)
                        .wrong(0, 1, 16, 32, 99, -1),
                of("DESCRIBE_CONFIGS.resources.resource_name:.*")
                        .right(draw -> draw.names().topic().name())
                        .wrong("no legal name!")
                        .wrong(Draw::missing),
                of("(ALTER|INCREMENTAL_ALTER)_CONFIGS.resources.resource_name:.*")
                        .right(draw -> draw.names().changed().name())
                        .wrong("no legal name!")
                        .wrong(Draw::missing),
                of(".*.configuration_keys:STRING").right("delete.retention.ms").wrong("", "no.such.key"),
                of(".*.configs.name:.*").right("delete.retention.ms").wrong("", "no.such.key"),
                of(".*.configs.value:.*").right("100000", "200000").wrong("no number", "-7", NULL),
                // Kafka 4.4.0 elects another controller, for seconds, when this is unknown.
                of(".*.config_operation:.*").right(0, 1).wrong(2, 3),
                of("LIST_CONFIG_RESOURCES.resource_types:INT8").right(TOPIC, 16).wrong(99, -1),
                of("(CREATE|DELETE|DESCRIBE)_ACLS.*.(resource_name|resource_name_filter):.*")
                        .right(Draw::fresh)
                        .wrong(draw -> draw.names().topic().name()),
                of(".*_ACLS.*resource_type(_filter)?:.*").right(TOPIC).wrong(0, 1, 99, -1),
                of(".*_ACLS.*pattern_type(_filter)?:.*").right(LITERAL).wrong(0, 1, 99, -1),
                of(".*_ACLS.*operation:.*").right(ALTER, ALTER + 1).wrong(0, 1, 99, -1),
                of(".*_ACLS.*permission_type:.*").right(ALLOW).wrong(0, 1, 99, -1),
                of(".*_ACLS.*principal(_filter)?:.*")
                        .right(draw -> "User:" + draw.fresh())
                        .wrong("nobody", ""),
                of(".*_ACLS.*host(_filter)?:.*").right("*").wrong(""),
                of(".*_CLIENT_QUOTAS.*.entity_type:.*")
                        .right("user", "client-id")
                        .wrong("", "nobody"),
                of("ALTER_CLIENT_QUOTAS.*.entity_name:.*").right(Draw::fresh),
                of("DESCRIBE_CLIENT_QUOTAS.*.match_type:.*").right(0).wrong(1, 99, -1),
                of("DESCRIBE_CLIENT_QUOTAS.*.match:.*").right(Draw::fresh).wrong("", NULL),
                of("ALTER_CLIENT_QUOTAS.*.key:.*").right("producer_byte_rate").wrong("", "no_such_key"),
                of(".*_USER_SCRAM_CREDENTIALS.*.name:.*").right(Draw::fresh).wrong(""),
                of(".*_USER_SCRAM_CREDENTIALS.*.mechanism:.*").right(1, 2).wrong(0, 99, -1),
                of(".*_USER_SCRAM_CREDENTIALS.*.iterations:.*").right(4_096).wrong(1, -1, 99_999),
                of("CREATE_DELEGATION_TOKEN.owner_principal_(type|name):.*")
                        .right(NULL)
                        .wrong("", "User"),
                of(".*.principal_type:.*").right("User").wrong("", "Group"),
                of(".*.principal_name:.*").right(Draw::fresh).wrong(Draw::missing),
                of(".*.(max_lifetime_ms|renew_period_ms|expiry_time_period_ms):.*")
                        .right(-1)
                        .wrong(-2),
                of("ALTER_REPLICA_LOG_DIRS.dirs.path:.*")
                        .right(draw -> draw.names().logDirectory())
                        .wrong("", "/no/such/directory"),
                // A broker refuses an instance that asks again too early.
                of(".*.client_instance_id:.*").right(draw -> Uuid.randomUuid()).wrong(Uuid.ZERO_UUID),
                of("ELECT_LEADERS.election_type:.*").right(0, 1).wrong(99, -1),
                of("DESCRIBE_CLUSTER.endpoint_type:.*").right(1).wrong(2, 99, -1),
                of(".*.(voter_id|broker_id|controller_id):.*")
                        .right(NO_NODE, NO_NODE + 1)
                        .wrong(-1),
                // Kafka 4.4.0 ends itself when this name is empty.
                of("ADD_RAFT_VOTER.listeners.name:.*").right("CONTROLLER").wrong("OTHER"),
                of("ADD_RAFT_VOTER.listeners.host:.*").right("127.0.0.1"),
                of("ADD_RAFT_VOTER.listeners.port:.*").right(1),
                of(".*.cluster_id:.*").right(NULL).wrong("", "another"),
                of("SASL_HANDSHAKE.mechanism:.*")
                        .right("PLAIN", "SCRAM-SHA-256")
                        .wrong("", "OTHER"));
    }
}
