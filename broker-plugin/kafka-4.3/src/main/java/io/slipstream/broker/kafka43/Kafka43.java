// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka43;

import io.slipstream.broker.kafka.server.BrokerVersion;
import io.slipstream.broker.kafka.server.RequestIntake;
import io.slipstream.protocol.control.AbortedTransaction;
import java.nio.ByteBuffer;
import kafka.network.RequestChannel;
import kafka.server.KafkaApis;
import kafka.server.builders.KafkaApisBuilder;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.network.metrics.RequestChannelMetrics;
import org.apache.kafka.server.quota.ClientQuotaManager;
import org.apache.kafka.storage.internals.log.AbortedTxn;
import scala.Option;

/** Apache Kafka 4.3.x. */
public final class Kafka43 extends BrokerVersion {
    public Kafka43() {
        super(
                "4.3",
                "kafka.network.RequestChannel$Request",
                "org.apache.kafka.storage.internals.log.AbortedTxn",
                "closeHandlers");
    }

    @Override
    public RequestContext context(Object request) {
        return ((RequestChannel.Request) request).context();
    }

    @Override
    public AbstractRequest body(Object request) {
        return ((RequestChannel.Request) request).loggableRequest();
    }

    @Override
    public Object request(
            RequestContext context,
            long startTimeNanos,
            MemoryPool memory,
            ByteBuffer buffer,
            RequestChannelMetrics metrics) {
        return new RequestChannel.Request(
                NO_PROCESSOR, context, startTimeNanos, memory, buffer, metrics, Option.empty());
    }

    @Override
    public RequestChannel requestChannel(RequestIntake intake, Time time, RequestChannelMetrics metrics) {
        return RingRequestChannel.of(intake, time, metrics);
    }

    @Override
    public void copyMovedParts(KafkaApis stock, KafkaApisBuilder builder) {
        builder.setForwardingManager(stock.forwardingManager())
                .setAutoTopicCreationManager(stock.autoTopicCreationManager())
                .setQuotas(stock.quotas());
    }

    @Override
    public ClientQuotaManager fetchQuotas(KafkaApis apis) {
        return apis.quotas().fetch();
    }

    @Override
    public AbortedTransaction aborted(Object indexEntry) {
        AbortedTxn entry = (AbortedTxn) indexEntry;
        return new AbortedTransaction(entry.producerId(), entry.firstOffset(), entry.lastOffset(), -1);
    }
}
