// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.address;

import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.protocol.ApiMessage;

/** Broker addresses in Kafka's own message objects: the reference for a rewritten response. */
final class Endpoints {
    private static final byte CONTROLLERS = 2;

    private Endpoints() {}

    /** Receives an endpoint. Returns true if it belongs to a broker. */
    private interface Change {
        boolean apply(int nodeId, String host, Setter setter);
    }

    private interface Setter {
        void set(String host, int port);
    }

    static boolean anyOfBrokers(ApiMessage response) {
        return walk(response, (nodeId, host, setter) -> isBroker(nodeId, host));
    }

    /** Returns the message with that host for each broker in it, and as port the base plus the node id modulo 1000. */
    static ApiMessage readdressed(ApiMessage response, String host, int portBase) {
        walk(response, (nodeId, given, setter) -> {
            if (isBroker(nodeId, given)) {
                setter.set(host, portBase + nodeId % 1000);
            }
            return false;
        });
        return response;
    }

    private static boolean isBroker(int nodeId, String host) {
        return nodeId >= 0 && !host.isEmpty();
    }

    private static boolean walk(ApiMessage response, Change change) {
        boolean[] any = new boolean[1];
        if (response instanceof MetadataResponseData metadata) {
            metadata.brokers()
                    .forEach(b -> any[0] |= change.apply(
                            b.nodeId(),
                            b.host(),
                            (host, port) -> b.setHost(host).setPort(port)));
        } else if (response instanceof FindCoordinatorResponseData found) {
            any[0] = change.apply(
                    found.nodeId(),
                    found.host(),
                    (host, port) -> found.setHost(host).setPort(port));
            found.coordinators()
                    .forEach(c -> any[0] |= change.apply(
                            c.nodeId(),
                            c.host(),
                            (host, port) -> c.setHost(host).setPort(port)));
        } else if (response instanceof DescribeClusterResponseData cluster) {
            if (cluster.endpointType() != CONTROLLERS) {
                cluster.brokers()
                        .forEach(b -> any[0] |= change.apply(
                                b.brokerId(),
                                b.host(),
                                (host, port) -> b.setHost(host).setPort(port)));
            }
        } else if (response instanceof ProduceResponseData produced) {
            produced.nodeEndpoints()
                    .forEach(n -> any[0] |= change.apply(
                            n.nodeId(),
                            n.host(),
                            (host, port) -> n.setHost(host).setPort(port)));
        } else if (response instanceof FetchResponseData fetched) {
            fetched.nodeEndpoints()
                    .forEach(n -> any[0] |= change.apply(
                            n.nodeId(),
                            n.host(),
                            (host, port) -> n.setHost(host).setPort(port)));
        } else if (response instanceof ShareFetchResponseData fetched) {
            fetched.nodeEndpoints()
                    .forEach(n -> any[0] |= change.apply(
                            n.nodeId(),
                            n.host(),
                            (host, port) -> n.setHost(host).setPort(port)));
        } else if (response instanceof ShareAcknowledgeResponseData acknowledged) {
            acknowledged
                    .nodeEndpoints()
                    .forEach(n -> any[0] |= change.apply(
                            n.nodeId(),
                            n.host(),
                            (host, port) -> n.setHost(host).setPort(port)));
        } else {
            throw new IllegalArgumentException("No addresses are known in " + response);
        }
        return any[0];
    }
}
