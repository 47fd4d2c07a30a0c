// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.harness.raw.Coordinators;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;

/** Responses with addresses must name the arm's own addresses; and first requests on a connection. */
final class AddressCases {
    private static final int VERSION_OFFSET = 6;

    private AddressCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("address-in-metadata", AddressCases::metadata).inCore(),
                Case.of("address-in-find-coordinator", AddressCases::findCoordinator)
                        .inCore(),
                Case.of("address-in-describe-cluster", AddressCases::describeCluster)
                        .inCore(),
                Case.of("api-versions-too-new", AddressCases::tooNewApiVersions).inCore(),
                Case.of("api-versions-cover-the-clients-needs", AddressCases::apiVersions));
    }

    private static void metadata(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 2);
        for (String address : List.of(arm.arm().bootstrap(), arm.nodeAddress())) {
            try (RawClient client = RawClient.connect(address)) {
                for (int version = 0; version <= 13; version++) {
                    MetadataRequestTopic asked = new MetadataRequestTopic().setName(topic.name());
                    arm.transcript()
                            .note(
                                    "v" + version,
                                    client.call((short) version, new MetadataRequestData().setTopics(List.of(asked))));
                }
            }
        }
    }

    private static void findCoordinator(ArmContext arm) throws IOException {
        RawClient client = arm.connect();
        Coordinators.await(client, CoordinatorType.GROUP, "g");
        for (int version = 0; version <= 6; version++) {
            FindCoordinatorRequestData request = new FindCoordinatorRequestData();
            if (version >= 4) {
                request.setCoordinatorKeys(List.of("g", "h"));
            } else {
                request.setKey("g");
            }
            arm.transcript().note("v" + version, client.call((short) version, request));
        }
    }

    private static void describeCluster(ArmContext arm) throws IOException {
        RawClient client = arm.connect();
        for (int version = 0; version <= 2; version++) {
            arm.transcript().note("v" + version, client.call((short) version, new DescribeClusterRequestData()));
        }
    }

    /** Answered as version 0, which lists the supported versions. */
    private static void tooNewApiVersions(ArmContext arm) throws IOException {
        try (RawClient client = RawClient.connect(arm.nodeAddress())) {
            ApiVersionsRequestData request =
                    new ApiVersionsRequestData().setClientSoftwareName("raw").setClientSoftwareVersion("1");
            ByteBuffer bytes = RequestFrame.of((short) 4, request).bytes();
            bytes.putShort(VERSION_OFFSET, (short) 99);
            client.send(RequestFrame.ofBytes(ApiKeys.API_VERSIONS, (short) 0, bytes));
            ApiVersionsResponseData response = client.receive().as(ApiVersionsResponseData.class);
            arm.note("error", Errors.forCode(response.errorCode()));
            arm.note("keys", response.apiKeys().size());
        }
    }

    /** The proxy may offer less than the broker, but every API, and the newest versions of Produce and Fetch. */
    private static void apiVersions(ArmContext arm) throws IOException {
        RawClient client = arm.connect();
        for (int version = 0; version <= 4; version++) {
            ApiVersionsRequestData request =
                    new ApiVersionsRequestData().setClientSoftwareName("raw").setClientSoftwareVersion("1");
            ApiVersionsResponseData response = client.call(version, request, ApiVersionsResponseData.class);
            arm.note("error v" + version, Errors.forCode(response.errorCode()));
            arm.note("produce v" + version, response.apiKeys().find(ApiKeys.PRODUCE.id));
            arm.note("fetch v" + version, response.apiKeys().find(ApiKeys.FETCH.id));
            arm.note(
                    "keys v" + version,
                    response.apiKeys().stream()
                            .map(key -> key.apiKey())
                            .sorted()
                            .toList());
        }
    }
}
