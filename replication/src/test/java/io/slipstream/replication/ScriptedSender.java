// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import io.slipstream.broker.server.LeaderPlugin;
import io.slipstream.protocol.control.NonceField;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import kafka.server.BlockingSend;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.server.network.BrokerEndPoint;

/** Kafka's sender of fetches, whose connection carries nonces to the leader's plugin and nothing else. */
final class ScriptedSender implements BlockingSend {
    private final LeaderPlugin plugin;
    final AtomicInteger nonces = new AtomicInteger();
    /** What the leader answers to a nonce; null if the connection breaks. */
    volatile Errors error = Errors.NONE;
    /** Whether the plugin sees the nonces. */
    volatile boolean arrives = true;

    volatile String connection = "first";
    volatile Runnable beforeAnswer = () -> {};

    ScriptedSender(LeaderPlugin plugin) {
        this.plugin = plugin;
    }

    @Override
    public BrokerEndPoint brokerEndPoint() {
        return new BrokerEndPoint(LeaderPlugin.NODE, "127.0.0.1", 9092);
    }

    @Override
    public ClientResponse sendRequest(AbstractRequest.Builder<? extends AbstractRequest> builder) {
        ApiVersionsRequest request = (ApiVersionsRequest) builder.build(builder.latestAllowedVersion());
        nonces.incrementAndGet();
        if (error == null) {
            throw new java.io.UncheckedIOException(new IOException("the connection broke"));
        }
        if (arrives) {
            plugin.show(connection, NonceField.in(request.data().unknownTaggedFields()));
        }
        beforeAnswer.run();
        RequestHeader header = new RequestHeader(ApiKeys.API_VERSIONS, request.version(), "broker-1-fetcher-0", 1);
        ApiVersionsResponse answer = new ApiVersionsResponse(new ApiVersionsResponseData().setErrorCode(error.code()));
        return new ClientResponse(header, null, "7", 0, 0, false, null, null, answer);
    }

    @Override
    public void initiateClose() {}

    @Override
    public void close() {}
}
