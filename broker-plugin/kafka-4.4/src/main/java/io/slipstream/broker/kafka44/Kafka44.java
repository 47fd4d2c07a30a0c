// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka44;

import io.slipstream.broker.kafka.server.BrokerVersion;
import io.slipstream.broker.kafka.server.RequestIntake;
import io.slipstream.protocol.control.AbortedTransaction;
import java.nio.ByteBuffer;
import java.util.Optional;
import kafka.network.RequestChannel;
import kafka.server.KafkaApis;
import kafka.server.builders.KafkaApisBuilder;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.message.AbortedTxn;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.network.Request;
import org.apache.kafka.network.metrics.RequestChannelMetrics;
import org.apache.kafka.server.quota.ClientQuotaManager;

/** Apache Kafka 4.4.x. */
public final class Kafka44 extends BrokerVersion {
    public Kafka44() {
        super("4.4", "org.apache.kafka.network.Request", "org.apache.kafka.common.message.AbortedTxn", "closeQuietly");
    }

    @Override
    public RequestContext context(Object request) {
        return ((Request) request).context();
    }

    @Override
    public AbstractRequest body(Object request) {
        return ((Request) request).body();
    }

    @Override
    public Object request(
            RequestContext context,
            long startTimeNanos,
            MemoryPool memory,
            ByteBuffer buffer,
            RequestChannelMetrics metrics) {
        return new Request(NO_PROCESSOR, context, startTimeNanos, memory, buffer, metrics, Optional.empty());
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
