// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.address;

import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** The brokers that a response names with host and port. */
final class NamedBrokers {
    private NamedBrokers() {}

    /** Looks at one broker, which it may give another address. */
    interface Visitor {
        /** Returns whether the response keeps naming it. */
        boolean visit(int nodeId, String host, int port, Consumer<String> newHost, IntConsumer newPort);
    }

    /**
     * Visits all brokers of the response, and takes out those that the visitor does not keep. A negative id or an empty
     * host is no broker.
     */
    static void visit(ApiMessage body, Visitor visitor) {
        Visitor v = (nodeId, host, port, newHost, newPort) ->
                nodeId < 0 || host.isEmpty() || visitor.visit(nodeId, host, port, newHost, newPort);
        if (body instanceof MetadataResponseData named) {
            named.brokers().removeIf(n -> !v.visit(n.nodeId(), n.host(), n.port(), n::setHost, n::setPort));
        } else if (body instanceof DescribeClusterResponseData named) {
            named.brokers().removeIf(n -> !v.visit(n.brokerId(), n.host(), n.port(), n::setHost, n::setPort));
        } else if (body instanceof FindCoordinatorResponseData named) {
            visitCoordinators(named, v);
        } else if (body instanceof ProduceResponseData named) {
            named.nodeEndpoints().removeIf(n -> !v.visit(n.nodeId(), n.host(), n.port(), n::setHost, n::setPort));
        } else if (body instanceof FetchResponseData named) {
            named.nodeEndpoints().removeIf(n -> !v.visit(n.nodeId(), n.host(), n.port(), n::setHost, n::setPort));
        } else if (body instanceof ShareFetchResponseData named) {
            named.nodeEndpoints().removeIf(n -> !v.visit(n.nodeId(), n.host(), n.port(), n::setHost, n::setPort));
        } else if (body instanceof ShareAcknowledgeResponseData named) {
            named.nodeEndpoints().removeIf(n -> !v.visit(n.nodeId(), n.host(), n.port(), n::setHost, n::setPort));
        }
    }

    private static void visitCoordinators(FindCoordinatorResponseData found, Visitor v) {
        Errors error = Errors.COORDINATOR_NOT_AVAILABLE;
        // Before version 4 there is one coordinator, in these fields. Afterwards they have no host.
        if (!v.visit(found.nodeId(), found.host(), found.port(), found::setHost, found::setPort)) {
            found.setErrorCode(error.code()).setErrorMessage(error.message());
            found.setNodeId(-1).setHost("").setPort(-1);
        }
        for (Coordinator each : found.coordinators()) {
            if (!v.visit(each.nodeId(), each.host(), each.port(), each::setHost, each::setPort)) {
                each.setErrorCode(error.code()).setErrorMessage(error.message());
                each.setNodeId(-1).setHost("").setPort(-1);
            }
        }
    }

    /** Partitions of these leaders look as they do while the leaders are down. */
    static void omitLeaders(MetadataResponseData metadata, Set<Integer> unserved) {
        metadata.topics().stream()
                .flatMap(topic -> topic.partitions().stream())
                .filter(partition -> unserved.contains(partition.leaderId()))
                .forEach(partition -> partition.setLeaderId(-1).setErrorCode(Errors.LEADER_NOT_AVAILABLE.code()));
    }
}
