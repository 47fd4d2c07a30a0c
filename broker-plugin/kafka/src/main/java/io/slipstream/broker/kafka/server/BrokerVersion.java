// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

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

/**
 * All that differs between the supported lines of Kafka: the names and types that have moved. A type that moved is
 * Object here. The agent finds implementations as services. To make one must not load a class of the broker.
 */
public interface BrokerVersion {
    /** No network thread has this id, so the stock request channel delivers no response. */
    int NO_PROCESSOR = -1;

    /** For example {@code 4.4}. */
    String line();

    /** Name of the class of requests in the request channel. */
    String requestClass();

    /** Name of the class of entries in a transaction index. */
    String abortedTransactionClass();

    /** Name of the method of {@code UnifiedLog} that closes a log's files and does not flush them. */
    String closeMethod();

    RequestContext context(Object request);

    AbstractRequest body(Object request);

    /** The broker's own request, of {@link #NO_PROCESSOR}. It parses the buffer. */
    Object request(
            RequestContext context,
            long startTimeNanos,
            MemoryPool memory,
            ByteBuffer buffer,
            RequestChannelMetrics metrics);

    /** A request channel that takes its requests from the intake, and sends responses to the ring of their request. */
    RequestChannel requestChannel(RequestIntake intake, Time time, RequestChannelMetrics metrics);

    /** Sets those parts of the broker's KafkaApis whose types have moved. */
    void copyMovedParts(KafkaApis stock, KafkaApisBuilder builder);

    ClientQuotaManager fetchQuotas(KafkaApis apis);

    /** An entry of a transaction index, listed always. */
    AbortedTransaction aborted(Object indexEntry);
}
