// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import io.slipstream.broker.config.TopicSet;
import io.slipstream.broker.ring.RingFrameIn;
import io.slipstream.broker.ring.RingGuard;
import io.slipstream.protocol.ring.RingApis;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.ShareFetchRequest;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.network.metrics.RequestChannelMetrics;
import org.apache.kafka.server.ApiVersionManager;

/**
 * Makes the broker's own request from a frame, after the checks of a network thread.
 *
 * @param excluded null if no topic is excluded
 * @param allLeftToTcp whether all requests are left to TCP; any thread may set it
 */
record RingRequests(
        BrokerVersion version,
        ApiVersionManager apiVersions,
        RequestChannelMetrics metrics,
        MetadataCache metadata,
        TopicSet excluded,
        AtomicBoolean allLeftToTcp) {
    private static final short ALL = -1;
    /**
     * Largest number of bytes that a ShareFetch gets at a time, beside its first batch. A proxy holds the answer until
     * its client takes it.
     */
    private static final int MOST_SHARED_BYTES = 1 << 20;

    /**
     * Returns null if the request is left to TCP. Throws if a stock broker would close the connection because of this
     * frame.
     */
    Object request(RingFrameIn frame) {
        if (allLeftToTcp.get()) {
            return null;
        }
        long startTimeNanos = Time.SYSTEM.nanoseconds();
        ByteBuffer buffer = frame.payload();
        RequestContext session = (RequestContext) frame.session.bound.requestContext();
        String refusal = RingGuard.refusal(buffer, session.fromPrivilegedListener);
        if (refusal != null) {
            throw new InvalidRequestException(refusal);
        }
        RequestHeader header = RequestHeader.parse(buffer);
        if (!apiVersions.isApiEnabled(header.apiKey(), header.apiVersion())) {
            throw new UnsupportedVersionException("Received request for disabled or unsupported api "
                    + header.apiKey().name() + " version " + header.apiVersion());
        }
        RequestContext context = context(session, header, session.principal, session.clientInformation);
        FrameMemory frameMemory = new FrameMemory(frame);
        int bodyPosition = buffer.position();
        Object request = version.request(context, startTimeNanos, frameMemory, buffer, metrics);
        if (RingApis.waits(header.apiKey().id) && !frame.session.answerLate(frame)) {
            throw new InvalidRequestException("the connection has ended, or has another request that waits");
        }
        Object body = version.body(request);
        if (body instanceof ShareFetchRequest shareFetch) {
            ShareFetchRequestData limits = shareFetch.data();
            limits.setMaxBytes(Math.min(limits.maxBytes(), MOST_SHARED_BYTES));
        }
        // KafkaApis asks for the right to replicate.
        if (body instanceof FetchRequest fetch && !fetch.isFromFollower()) {
            throw new InvalidRequestException("only followers fetch by the ring");
        }
        if (!(body instanceof ProduceRequest produce)) {
            return request;
        }
        frame.session.setAcksAll(produce.acks() == ALL);
        if (produce.transactionalId() != null) {
            // The broker may append the batch after handling has returned, once the transaction coordinator has
            // answered. Other clients need the ring's space meanwhile.
            frame.session.setBarrier(frame);
            if (frame.moveOut()) {
                ByteBuffer moved = frame.payload().position(bodyPosition);
                request = version.request(context, startTimeNanos, frameMemory, moved, metrics);
            }
        }
        return excluded != null && namesExcluded(produce) ? null : request;
    }

    /** Whether the request names an excluded topic, by its name or its id. */
    private boolean namesExcluded(ProduceRequest request) {
        for (TopicProduceData topic : request.data().topicData()) {
            String name = topic.name();
            if (name == null || name.isEmpty()) {
                name = metadata.topicIdsToNames().get(topic.topicId());
            }
            if (name != null && excluded.includes(name)) {
                return true;
            }
        }
        return false;
    }

    /** That of another request on the connection. */
    static RequestContext context(
            RequestContext known, RequestHeader header, KafkaPrincipal principal, ClientInformation client) {
        return new RequestContext(
                header,
                known.connectionId,
                known.clientAddress,
                known.clientPort,
                principal,
                known.listenerName,
                known.securityProtocol,
                client,
                known.fromPrivilegedListener,
                known.principalSerde);
    }
}
