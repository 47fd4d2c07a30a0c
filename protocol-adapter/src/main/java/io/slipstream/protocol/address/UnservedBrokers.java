// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.address;

import java.nio.ByteBuffer;
import java.util.Set;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestUtils;

/**
 * Takes brokers out of a response that clients cannot reach through the proxy. The answer is the one that a broker
 * gives while those brokers are down: clients ask again. It decodes the whole response, because it is rarely needed.
 */
final class UnservedBrokers {
    private UnservedBrokers() {}

    /** @param response a frame that {@link ResponseRewriter} could walk; not changed */
    static ByteBuffer omit(ByteBuffer response, short apiKey, short version, Set<Integer> unserved) {
        ApiKeys api = ApiKeys.forId(apiKey);
        short headerVersion = api.responseHeaderVersion(version);
        ByteBufferAccessor in = new ByteBufferAccessor(response.duplicate());
        ResponseHeaderData header = new ResponseHeaderData(in, headerVersion);
        ApiMessage body = api.messageType.newResponse();
        body.read(in, version);
        omit(body, unserved);
        return RequestUtils.serialize(header, headerVersion, body, version);
    }

    private static void omit(ApiMessage body, Set<Integer> unserved) {
        if (body instanceof MetadataResponseData metadata) {
            metadata.brokers().removeIf(broker -> unserved.contains(broker.nodeId()));
            metadata.topics()
                    .forEach(topic -> topic.partitions().stream()
                            .filter(partition -> unserved.contains(partition.leaderId()))
                            .forEach(partition ->
                                    partition.setLeaderId(-1).setErrorCode(Errors.LEADER_NOT_AVAILABLE.code())));
        } else if (body instanceof FindCoordinatorResponseData found) {
            omit(found, unserved);
        } else if (body instanceof DescribeClusterResponseData cluster) {
            cluster.brokers().removeIf(broker -> unserved.contains(broker.brokerId()));
        } else if (body instanceof ProduceResponseData produce) {
            produce.nodeEndpoints().removeIf(node -> unserved.contains(node.nodeId()));
        } else if (body instanceof FetchResponseData fetch) {
            fetch.nodeEndpoints().removeIf(node -> unserved.contains(node.nodeId()));
        } else if (body instanceof ShareFetchResponseData fetch) {
            fetch.nodeEndpoints().removeIf(node -> unserved.contains(node.nodeId()));
        } else if (body instanceof ShareAcknowledgeResponseData acknowledge) {
            acknowledge.nodeEndpoints().removeIf(node -> unserved.contains(node.nodeId()));
        }
    }

    private static void omit(FindCoordinatorResponseData found, Set<Integer> unserved) {
        Errors error = Errors.COORDINATOR_NOT_AVAILABLE;
        if (found.coordinators().isEmpty()) {
            // Before version 4 there is one coordinator, in these fields.
            found.setErrorCode(error.code()).setErrorMessage(error.message());
            found.setNodeId(-1).setHost("").setPort(-1);
        }
        for (Coordinator coordinator : found.coordinators()) {
            if (unserved.contains(coordinator.nodeId())) {
                coordinator.setErrorCode(error.code()).setErrorMessage(error.message());
                coordinator.setNodeId(-1).setHost("").setPort(-1);
            }
        }
    }
}
