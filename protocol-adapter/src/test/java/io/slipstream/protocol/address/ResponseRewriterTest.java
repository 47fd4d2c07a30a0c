// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.protocol.Allocation;
import io.slipstream.protocol.KafkaFrames;
import io.slipstream.protocol.Seeds;
import io.slipstream.protocol.wire.Samples;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData.DescribeClusterBroker;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.junit.jupiter.api.Test;

class ResponseRewriterTest {
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

    /**
     * Every fifth broker is unknown to the proxy. Hosts have many lengths, so that varints and sizes change their
     * lengths.
     */
    private static String newHost(int nodeId) {
        return nodeId % 5 == 0 ? null : "p".repeat(1 + Math.floorMod(nodeId, 200));
    }

    private static int newPort(int nodeId) {
        return nodeId & 0xffff;
    }

    @Test
    void shouldRewriteEveryVersionToTheBytesThatKafkaWouldWrite() {
        Random random = Seeds.random("ResponseRewriterTest");
        Samples samples = new Samples(random);
        for (ApiKeys api : ResponseRewriter.REWRITTEN) {
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

        rewriter.rewrite(KafkaFrames.response(ApiKeys.METADATA, (short) 12, 1, data), (short) 3, (short) 12);

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
            if (!ResponseRewriter.REWRITTEN.contains(api)) {
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
        boolean changed = false;
        if (body instanceof MetadataResponseData data) {
            for (var node : data.brokers()) {
                if (moves(node.nodeId(), node.host())) {
                    node.setHost(newHost(node.nodeId())).setPort(newPort(node.nodeId()));
                    changed = true;
                }
            }
        } else if (body instanceof FindCoordinatorResponseData data) {
            if (moves(data.nodeId(), data.host())) {
                data.setHost(newHost(data.nodeId())).setPort(newPort(data.nodeId()));
                changed = true;
            }
            for (var node : data.coordinators()) {
                if (moves(node.nodeId(), node.host())) {
                    node.setHost(newHost(node.nodeId())).setPort(newPort(node.nodeId()));
                    changed = true;
                }
            }
        } else if (body instanceof DescribeClusterResponseData data) {
            for (var node : data.brokers()) {
                if (data.endpointType() != 2 && moves(node.brokerId(), node.host())) {
                    node.setHost(newHost(node.brokerId())).setPort(newPort(node.brokerId()));
                    changed = true;
                }
            }
        } else if (body instanceof ProduceResponseData data) {
            for (var node : data.nodeEndpoints()) {
                if (moves(node.nodeId(), node.host())) {
                    node.setHost(newHost(node.nodeId())).setPort(newPort(node.nodeId()));
                    changed = true;
                }
            }
        } else if (body instanceof FetchResponseData data) {
            for (var node : data.nodeEndpoints()) {
                if (moves(node.nodeId(), node.host())) {
                    node.setHost(newHost(node.nodeId())).setPort(newPort(node.nodeId()));
                    changed = true;
                }
            }
        } else if (body instanceof ShareFetchResponseData data) {
            for (var node : data.nodeEndpoints()) {
                if (moves(node.nodeId(), node.host())) {
                    node.setHost(newHost(node.nodeId())).setPort(newPort(node.nodeId()));
                    changed = true;
                }
            }
        } else if (body instanceof ShareAcknowledgeResponseData data) {
            for (var node : data.nodeEndpoints()) {
                if (moves(node.nodeId(), node.host())) {
                    node.setHost(newHost(node.nodeId())).setPort(newPort(node.nodeId()));
                    changed = true;
                }
            }
        } else {
            throw new IllegalArgumentException("No expectation for " + body);
        }
        return changed;
    }

    private static boolean moves(int nodeId, String host) {
        return nodeId >= 0 && !host.isEmpty() && newHost(nodeId) != null;
    }
}
