// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;
import org.junit.jupiter.api.Test;

/**
 * Walks every response schema of kafka-clients, all versions, with arrays and tagged fields. Fails on a field that
 * looks like an address and is not classified here. A new entry states whether the field is rewritten, or why not.
 */
class AddressFieldsTest {
    private static final Pattern ADDRESS = Pattern.compile(
            "(^|_)(host(name)?|port|address|endpoint|listener|url|uri|ip)(e?s)?(_|$)", Pattern.CASE_INSENSITIVE);

    private static final String REWRITTEN = "rewritten";
    private static final String RAFT = "between brokers and controllers, never through a client's proxy";
    private static final String CLIENT = "where a client of the group is, not a broker";
    private static final String ACL = "a pattern for clients' hosts";
    private static final String STREAMS = "where an application serves its own state, not a broker";

    private static final Map<String, String> CLASSIFIED = classified();

    private static Map<String, String> classified() {
        Map<String, String> map = new TreeMap<>();
        pair(map, "METADATA.brokers", REWRITTEN);
        pair(map, "FIND_COORDINATOR", REWRITTEN);
        pair(map, "FIND_COORDINATOR.coordinators", REWRITTEN);
        pair(map, "DESCRIBE_CLUSTER.brokers", REWRITTEN);
        map.put("DESCRIBE_CLUSTER.endpoint_type", "tells brokers from controllers");
        for (String api : new String[] {"PRODUCE", "FETCH", "SHARE_FETCH", "SHARE_ACKNOWLEDGE"}) {
            pair(map, api + ".node_endpoints", REWRITTEN);
            map.put(api + ".node_endpoints", REWRITTEN);
        }
        for (String api : new String[] {"VOTE", "BEGIN_QUORUM_EPOCH", "END_QUORUM_EPOCH", "FETCH_SNAPSHOT"}) {
            pair(map, api + ".node_endpoints", RAFT);
            map.put(api + ".node_endpoints", RAFT);
        }
        pair(map, "UPDATE_RAFT_VOTER.current_leader", RAFT);
        String quorum = "listeners of controllers, for administrators; clients do not connect to them by it";
        pair(map, "DESCRIBE_QUORUM.nodes.listeners", quorum);
        map.put("DESCRIBE_QUORUM.nodes.listeners", quorum);
        map.put("DESCRIBE_GROUPS.groups.members.client_host", CLIENT);
        map.put("CONSUMER_GROUP_DESCRIBE.groups.members.client_host", CLIENT);
        map.put("SHARE_GROUP_DESCRIBE.groups.members.client_host", CLIENT);
        map.put("STREAMS_GROUP_DESCRIBE.groups.members.client_host", CLIENT);
        map.put("DESCRIBE_ACLS.resources.acls.host", ACL);
        map.put("DELETE_ACLS.filter_results.matching_acls.host", ACL);
        pair(map, "STREAMS_GROUP_DESCRIBE.groups.members.user_endpoint", STREAMS);
        map.put("STREAMS_GROUP_DESCRIBE.groups.members.user_endpoint", STREAMS);
        pair(map, "STREAMS_GROUP_HEARTBEAT.partitions_by_user_endpoint.user_endpoint", STREAMS);
        map.put("STREAMS_GROUP_HEARTBEAT.partitions_by_user_endpoint.user_endpoint", STREAMS);
        map.put("STREAMS_GROUP_HEARTBEAT.partitions_by_user_endpoint", STREAMS);
        map.put("STREAMS_GROUP_HEARTBEAT.endpoint_information_epoch", STREAMS);
        return map;
    }

    private static void pair(Map<String, String> map, String path, String what) {
        map.put(path + ".host", what);
        map.put(path + ".port", what);
    }

    @Test
    void shouldClassifyEveryFieldThatLooksLikeAnAddress() {
        Set<String> found = new TreeSet<>();
        for (ApiMessageType type : ApiMessageType.values()) {
            for (int v = type.lowestSupportedVersion(); v <= type.highestSupportedVersion(true); v++) {
                collect(type.responseSchemas()[v], type.name(), found);
            }
        }
        assertThat(found)
                .as("fields of responses that look like addresses; classify new ones in this test")
                .isEqualTo(CLASSIFIED.keySet());
    }

    @Test
    void shouldRewriteExactlyTheVersionsWithAddressesOfBrokers() {
        for (ApiMessageType type : ApiMessageType.values()) {
            for (short v = type.lowestSupportedVersion(); v <= type.highestSupportedVersion(true); v++) {
                Set<String> found = new TreeSet<>();
                collect(type.responseSchemas()[v], type.name(), found);
                boolean rewritten = found.stream()
                        .anyMatch(path -> path.endsWith(".host") && REWRITTEN.equals(CLASSIFIED.get(path)));
                assertThat(ResponseRewriter.isRewritten(type.apiKey(), v))
                        .as("%s v%d", type, v)
                        .isEqualTo(rewritten);
            }
        }
        assertThat(ResponseRewriter.isRewritten(ApiKeys.METADATA.id, (short) 99))
                .isFalse();
        assertThat(ResponseRewriter.isRewritten((short) -1, (short) 0)).isFalse();
        assertThat(ResponseRewriter.isRewritten((short) 9_999, (short) 0)).isFalse();
    }

    private static void collect(Schema schema, String path, Set<String> found) {
        for (BoundField field : schema.fields()) {
            if (field.def.type instanceof TaggedFields tagged) {
                tagged.fields().values().forEach(f -> field(f.name, f.type, path, found));
            } else {
                field(field.def.name, field.def.type, path, found);
            }
        }
    }

    private static void field(String name, Type type, String path, Set<String> found) {
        String here = path + "." + name.toLowerCase(Locale.ROOT);
        if (ADDRESS.matcher(name).find()) {
            found.add(here);
        }
        Type element = type.arrayElementType().orElse(type);
        if (element instanceof Schema schema) {
            collect(schema, here, found);
        }
    }
}
