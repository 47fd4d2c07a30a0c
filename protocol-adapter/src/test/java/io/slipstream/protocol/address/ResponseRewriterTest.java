// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.slipstream.protocol.Allocation;
import io.slipstream.protocol.KafkaFrames;
import io.slipstream.protocol.Seeds;
import io.slipstream.protocol.wire.Samples;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData.DescribeClusterBroker;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorResponse;
import org.junit.jupiter.api.Test;

class ResponseRewriterTest {
    private static final List<ApiKeys> REWRITTEN = Arrays.stream(ApiKeys.values())
            .filter(api -> ResponseRewriter.isRewritten(api.id, api.latestVersion()))
            .toList();

    private final List<Topology> learned = new ArrayList<>();
    private final ResponseRewriter rewriter = new ResponseRewriter(new AddressMap() {
        @Override
        public void learn(Topology topology) {
            learned.add(topology);
        }

        @Override
        public String host(int nodeId) {
            return newHost(nodeId);
        }

        @Override
        public int port(int nodeId) {
            return newPort(nodeId);
        }
    });

    /** Hosts have many lengths, so that varints and sizes change their lengths. */
    private static String newHost(int nodeId) {
        return "p".repeat(1 + Math.floorMod(nodeId, 200));
    }

    /** Every fifth broker has no port at the proxy. */
    private static int newPort(int nodeId) {
        return nodeId % 5 == 0 ? 0 : 1 + (nodeId & 0xfff);
    }

    @Test
    void shouldRewriteEveryVersionToTheBytesThatKafkaWouldWrite() {
        Random random = Seeds.random("ResponseRewriterTest");
        Samples samples = new Samples(random);
        for (ApiKeys api : REWRITTEN) {
            int changed = 0;
            for (short version : api.allVersions()) {
                for (int i = 0; i < 60; i++) {
                    ApiMessage body =
                            read(api, version, samples.bytes(api.messageType.responseSchemas()[version]));
                    ByteBuffer frame = KafkaFrames.response(api, version, i, body);
                    boolean rewritten = readdress(body);
                    ByteBuffer expected = KafkaFrames.response(api, version, i, body);
                    byte[] before = frame.array().clone();

                    ByteBuffer actual = rewriter.rewrite(frame, api.id, version);

                    assertThat(actual).as("%s v%d", api, version).isEqualTo(expected);
                    assertThat(frame.array()).isEqualTo(before);
                    assertThat(frame.position()).isZero();
                    if (rewritten) {
                        changed++;
                    } else {
                        assertThat(actual).isSameAs(frame);
                    }
                }
            }
            assertThat(changed).as("rewritten responses of %s", api).isPositive();
        }
    }

    @Test
    void shouldTeachTheTopologyFromMetadata() {
        MetadataResponseData data = new MetadataResponseData().setClusterId("cluster");
        data.brokers()
                .add(new MetadataResponseBroker().setNodeId(1).setHost("a").setPort(9092));
        data.brokers()
                .add(new MetadataResponseBroker().setNodeId(2).setHost("b").setPort(9093));

        rewrite(ApiKeys.METADATA, 12, data);

        assertThat(learned)
                .containsExactly(new Topology(
                        List.of(new Topology.Broker(1, "a", 9092), new Topology.Broker(2, "b", 9093)),
                        true,
                        "cluster"));
    }

    @Test
    void shouldLearnOnlyPartsFromCoordinatorsAndNothingFromErrors() {
        FindCoordinatorResponseData data = new FindCoordinatorResponseData();
        data.coordinators()
                .add(new FindCoordinatorResponseData.Coordinator()
                        .setKey("g")
                        .setNodeId(3)
                        .setHost("c")
                        .setPort(1));
        rewriter.rewrite(KafkaFrames.response(ApiKeys.FIND_COORDINATOR, (short) 4, 1, data), (short) 10, (short) 4);
        assertThat(learned).containsExactly(new Topology(List.of(new Topology.Broker(3, "c", 1)), false, null));

        ByteBuffer none = KafkaFrames.response(
                ApiKeys.FIND_COORDINATOR,
                (short) 2,
                1,
                new FindCoordinatorResponseData()
                        .setErrorCode((short) 15)
                        .setNodeId(-1)
                        .setHost("")
                        .setPort(-1));
        assertThat(rewriter.rewrite(none, (short) 10, (short) 2)).isSameAs(none);
        assertThat(learned).hasSize(1);
    }

    @Test
    void shouldNotNameBrokersWithoutAPort() {
        MetadataResponseData data = new MetadataResponseData();
        data.brokers()
                .add(new MetadataResponseBroker().setNodeId(1).setHost("a").setPort(9092));
        data.brokers()
                .add(new MetadataResponseBroker().setNodeId(5).setHost("b").setPort(9093));
        data.topics()
                .add(new MetadataResponseTopic()
                        .setName("t")
                        .setPartitions(List.of(
                                new MetadataResponsePartition()
                                        .setPartitionIndex(0)
                                        .setLeaderId(1),
                                new MetadataResponsePartition()
                                        .setPartitionIndex(1)
                                        .setLeaderId(5))));

        MetadataResponseData seen = (MetadataResponseData) rewrite(ApiKeys.METADATA, 12, data);

        assertThat(seen.brokers()).singleElement().satisfies(broker -> {
            assertThat(broker.nodeId()).isEqualTo(1);
            assertThat(broker.host()).isEqualTo(newHost(1));
            assertThat(broker.port()).isEqualTo(newPort(1));
        });
        assertThat(seen.topics().find("t").partitions())
                .extracting(MetadataResponsePartition::leaderId, MetadataResponsePartition::errorCode)
                .containsExactly(tuple(1, (short) 0), tuple(-1, Errors.LEADER_NOT_AVAILABLE.code()));
        assertThat(learned)
                .singleElement()
                .satisfies(topology -> assertThat(topology.brokers()).hasSize(2));
    }

    @Test
    void shouldNotNameCoordinatorsWithoutAPort() {
        for (short version : ApiKeys.FIND_COORDINATOR.allVersions()) {
            FindCoordinatorResponseData data = new FindCoordinatorResponseData();
            if (version < 4) {
                data.setNodeId(10).setHost("c").setPort(9092);
            } else {
                data.coordinators()
                        .add(new FindCoordinatorResponseData.Coordinator()
                                .setKey("g")
                                .setNodeId(10)
                                .setHost("c")
                                .setPort(9092));
            }
            ApiMessage seen = rewrite(ApiKeys.FIND_COORDINATOR, version, data);
            assertThat(new FindCoordinatorResponse((FindCoordinatorResponseData) seen).coordinators())
                    .as("version %s", version)
                    .singleElement()
                    .satisfies(found -> {
                        assertThat(found.errorCode()).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE.code());
                        assertThat(found.nodeId()).isEqualTo(-1);
                        assertThat(found.host()).isEmpty();
                    });
        }
    }

    @Test
    void shouldNotNameNewLeadersWithoutAPort() {
        ProduceResponseData data = new ProduceResponseData();
        data.nodeEndpoints()
                .add(new ProduceResponseData.NodeEndpoint()
                        .setNodeId(5)
                        .setHost("b")
                        .setPort(9092));
        assertThat(((ProduceResponseData) rewrite(ApiKeys.PRODUCE, 13, data)).nodeEndpoints())
                .as("as from a broker whose leader has no such listener")
                .isEmpty();
    }

    /** The rewritten response as a client reads it. */
    private ApiMessage rewrite(ApiKeys api, int version, ApiMessage body) {
        ByteBuffer rewritten =
                rewriter.rewrite(KafkaFrames.response(api, (short) version, 1, body), api.id, (short) version);
        new ResponseHeaderData(new ByteBufferAccessor(rewritten), api.responseHeaderVersion((short) version));
        return read(api, (short) version, rewritten);
    }

    @Test
    void shouldLeaveControllersAlone() {
        DescribeClusterResponseData data =
                new DescribeClusterResponseData().setClusterId("c").setEndpointType((byte) 2);
        data.brokers()
                .add(new DescribeClusterBroker().setBrokerId(1).setHost("a").setPort(9092));
        ByteBuffer frame = KafkaFrames.response(ApiKeys.DESCRIBE_CLUSTER, (short) 1, 1, data);
        assertThat(rewriter.rewrite(frame, (short) 60, (short) 1)).isSameAs(frame);
        assertThat(learned).isEmpty();
    }

    @Test
    void shouldLeaveUnknownVersionsAndOtherApisAloneAndRefuseMalformedFrames() {
        Samples samples = new Samples(Seeds.random("ResponseRewriterTest.others"));
        for (ApiMessageType type : ApiMessageType.values()) {
            ApiKeys api = ApiKeys.forId(type.apiKey());
            if (!REWRITTEN.contains(api)) {
                for (short version : api.allVersions()) {
                    ByteBuffer frame = samples.bytes(type.responseSchemas()[version]);
                    assertThat(rewriter.rewrite(frame, api.id, version)).isSameAs(frame);
                }
            }
        }
        MetadataResponseData data = new MetadataResponseData();
        data.brokers()
                .add(new MetadataResponseBroker().setNodeId(1).setHost("a").setPort(9092));
        ByteBuffer frame = KafkaFrames.response(ApiKeys.METADATA, (short) 12, 1, data);
        assertThat(rewriter.rewrite(frame, (short) 3, (short) 99)).isSameAs(frame);
        for (int limit = 0; limit < frame.limit(); limit++) {
            ByteBuffer cut = frame.duplicate().limit(limit);
            assertThatThrownBy(() -> rewriter.rewrite(cut, (short) 3, (short) 12))
                    .as("%s bytes", limit)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(learned).isEmpty();
    }

    @Test
    void shouldNotAllocateForFetchesWithoutEndpoints() {
        FetchResponseData data = new FetchResponseData();
        data.responses()
                .add(new FetchResponseData.FetchableTopicResponse()
                        .setPartitions(List.of(
                                new FetchResponseData.PartitionData().setRecords(KafkaFrames.batch(0, 0, 100)))));
        ByteBuffer frame = KafkaFrames.response(ApiKeys.FETCH, (short) 17, 1, data);
        Runnable rewrites = () -> {
            for (int i = 0; i < 1_000; i++) {
                if (rewriter.rewrite(frame, (short) 1, (short) 17) != frame) {
                    throw new AssertionError("rewritten");
                }
            }
        };
        rewrites.run();
        assertThat(Allocation.bytesOf(rewrites)).isLessThan(1_000);
    }

    private static ApiMessage read(ApiKeys api, short version, ByteBuffer bytes) {
        ApiMessage body = api.messageType.newResponse();
        body.read(new ByteBufferAccessor(bytes), version);
        return body;
    }

    /** The expected rewrite, on Kafka's own objects; returns whether anything changes. */
    private static boolean readdress(ApiMessage body) {
        Set<Integer> unserved = new HashSet<>();
        boolean changed = false;
        if (body instanceof MetadataResponseData data) {
            for (var node : data.brokers()) {
                if (moves(node.nodeId(), node.host(), unserved)) {
                    node.setHost(newHost(node.nodeId())).setPort(newPort(node.nodeId()));
                    changed = true;
                }
            }
            data.brokers().removeIf(node -> unserved.contains(node.nodeId()));
            data.topics()
                    .forEach(topic -> topic.partitions().forEach(partition -> {
                        if (unserved.contains(partition.leaderId())) {
                            partition.setLeaderId(-1).setErrorCode((short) 5);
                        }
                    }));
        } else if (body instanceof FindCoordinatorResponseData data) {
            if (moves(data.nodeId(), data.host(), unserved)) {
                data.setHost(newHost(data.nodeId())).setPort(newPort(data.nodeId()));
                changed = true;
            }
            if (unserved.contains(data.nodeId())) {
                data.setErrorCode((short) 15).setErrorMessage(Errors.COORDINATOR_NOT_AVAILABLE.message());
                data.setNodeId(-1).setHost("").setPort(-1);
            }
            for (var node : data.coordinators()) {
                if (moves(node.nodeId(), node.host(), unserved)) {
                    node.setHost(newHost(node.nodeId())).setPort(newPort(node.nodeId()));
                    changed = true;
                }
            }
            for (var node : data.coordinators()) {
                if (unserved.contains(node.nodeId())) {
                    node.setErrorCode((short) 15).setErrorMessage(Errors.COORDINATOR_NOT_AVAILABLE.message());
                    node.setNodeId(-1).setHost("").setPort(-1);
                }
            }
        } else if (body instanceof DescribeClusterResponseData data) {
            for (var node : data.brokers()) {
                if (data.endpointType() != 2 && moves(node.brokerId(), node.host(), unserved)) {
                    node.setHost(newHost(node.brokerId())).setPort(newPort(node.brokerId()));
                    changed = true;
                }
            }
            data.brokers().removeIf(node -> unserved.contains(node.brokerId()));
        } else if (body instanceof ProduceResponseData data) {
            for (var node : data.nodeEndpoints()) {
                if (moves(node.nodeId(), node.host(), unserved)) {
                    node.setHost(newHost(node.nodeId())).setPort(newPort(node.nodeId()));
                    changed = true;
                }
            }
            data.nodeEndpoints().removeIf(node -> unserved.contains(node.nodeId()));
            data.responses()
                    .forEach(topic -> topic.partitionResponses().forEach(partition -> {
                        if (unserved.contains(partition.currentLeader().leaderId())) {
                            partition.currentLeader().setLeaderId(-1).setLeaderEpoch(-1);
                        }
                    }));
        } else if (body instanceof FetchResponseData data) {
            for (var node : data.nodeEndpoints()) {
                if (moves(node.nodeId(), node.host(), unserved)) {
                    node.setHost(newHost(node.nodeId())).setPort(newPort(node.nodeId()));
                    changed = true;
                }
            }
            data.nodeEndpoints().removeIf(node -> unserved.contains(node.nodeId()));
            data.responses()
                    .forEach(topic -> topic.partitions().forEach(partition -> {
                        if (unserved.contains(partition.currentLeader().leaderId())) {
                            partition.currentLeader().setLeaderId(-1).setLeaderEpoch(-1);
                        }
                    }));
        } else if (body instanceof ShareFetchResponseData data) {
            for (var node : data.nodeEndpoints()) {
                if (moves(node.nodeId(), node.host(), unserved)) {
                    node.setHost(newHost(node.nodeId())).setPort(newPort(node.nodeId()));
                    changed = true;
                }
            }
            data.nodeEndpoints().removeIf(node -> unserved.contains(node.nodeId()));
            data.responses()
                    .forEach(topic -> topic.partitions().forEach(partition -> {
                        if (unserved.contains(partition.currentLeader().leaderId())) {
                            partition.currentLeader().setLeaderId(-1).setLeaderEpoch(-1);
                        }
                    }));
        } else if (body instanceof ShareAcknowledgeResponseData data) {
            for (var node : data.nodeEndpoints()) {
                if (moves(node.nodeId(), node.host(), unserved)) {
                    node.setHost(newHost(node.nodeId())).setPort(newPort(node.nodeId()));
                    changed = true;
                }
            }
            data.nodeEndpoints().removeIf(node -> unserved.contains(node.nodeId()));
            data.responses()
                    .forEach(topic -> topic.partitions().forEach(partition -> {
                        if (unserved.contains(partition.currentLeader().leaderId())) {
                            partition.currentLeader().setLeaderId(-1).setLeaderEpoch(-1);
                        }
                    }));
        } else {
            throw new IllegalArgumentException("No expectation for " + body);
        }
        return changed || !unserved.isEmpty();
    }

    /** Whether that broker gets a new address; if it has no port, it is added to the unserved ones instead. */
    private static boolean moves(int nodeId, String host, Set<Integer> unserved) {
        if (nodeId < 0 || host.isEmpty()) {
            return false;
        }
        if (newPort(nodeId) == 0) {
            unserved.add(nodeId);
            return false;
        }
        return true;
    }
}
