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
public abstract class BrokerVersion {
    /** A processor id that no network thread has, so that the stock request channel delivers no response. */
    protected static final int NO_PROCESSOR = -1;

    final String line;
    final String requestClass;
    final String abortedTransactionClass;
    final String closeMethod;

    /**
     * @param line the name of the line, for example {@code 4.4}
     * @param requestClass name of the class of requests in the request channel
     * @param abortedTransactionClass name of the class of entries in a transaction index
     * @param closeMethod name of the method of {@code UnifiedLog} that closes a log's files and does not flush them
     */
    protected BrokerVersion(String line, String requestClass, String abortedTransactionClass, String closeMethod) {
        this.line = line;
        this.requestClass = requestClass;
        this.abortedTransactionClass = abortedTransactionClass;
        this.closeMethod = closeMethod;
    }

    public abstract RequestContext context(Object request);

    public abstract AbstractRequest body(Object request);

    /** Makes the broker's own request, with {@link #NO_PROCESSOR}. It parses the buffer. */
    public abstract Object request(
            RequestContext context,
            long startTimeNanos,
            MemoryPool memory,
            ByteBuffer buffer,
            RequestChannelMetrics metrics);

    /**
     * Makes a request channel that takes requests from the intake and sends each response to the ring of its request.
     */
    public abstract RequestChannel requestChannel(RequestIntake intake, Time time, RequestChannelMetrics metrics);

    /** Copies the parts of the broker's KafkaApis whose types have moved. */
    public abstract void copyMovedParts(KafkaApis stock, KafkaApisBuilder builder);

    public abstract ClientQuotaManager fetchQuotas(KafkaApis apis);

    /** Converts an entry of a transaction index, without an index position. */
    public abstract AbortedTransaction aborted(Object indexEntry);
}
