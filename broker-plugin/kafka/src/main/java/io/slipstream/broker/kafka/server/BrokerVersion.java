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
 * The differences between the supported lines of Kafka: names and types that have moved. A moved type is Object here.
 * The java agent finds implementations as services. Creating one must not load a class of the broker.
 */
public interface BrokerVersion {
    /** A processor id that no network thread has, so that the stock request channel delivers no response. */
    int NO_PROCESSOR = -1;

    /** Returns the name of the line, for example {@code 4.4}. */
    String line();

    /** Name of the class of requests in the request channel. */
    String requestClass();

    /** Name of the class of entries in a transaction index. */
    String abortedTransactionClass();

    /** Name of the method of {@code UnifiedLog} that closes a log's files and does not flush them. */
    String closeMethod();

    RequestContext context(Object request);

    AbstractRequest body(Object request);

    /** Makes the broker's own request, with {@link #NO_PROCESSOR}. It parses the buffer. */
    Object request(
            RequestContext context,
            long startTimeNanos,
            MemoryPool memory,
            ByteBuffer buffer,
            RequestChannelMetrics metrics);

    /**
     * Makes a request channel that takes requests from the intake and sends each response to the ring of its request.
     */
    RequestChannel requestChannel(RequestIntake intake, Time time, RequestChannelMetrics metrics);

    /** Copies the parts of the broker's KafkaApis whose types have moved. */
    void copyMovedParts(KafkaApis stock, KafkaApisBuilder builder);

    ClientQuotaManager fetchQuotas(KafkaApis apis);

    /** Converts an entry of a transaction index, without an index position. */
    AbortedTransaction aborted(Object indexEntry);
}
