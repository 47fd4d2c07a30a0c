package io.slipstream.broker.kafka43;

import io.slipstream.broker.landing.AnnouncedBatches;
import java.nio.ByteBuffer;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.RequestAndSize;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;

/** Reads a Produce request whose records lie in segments: where the request names a length of record bytes, the next announced batch stands in. */
final class LandedRequestContext extends RequestContext {
    private final AnnouncedBatches batches;

    LandedRequestContext(RequestHeader header, RequestContext session, AnnouncedBatches batches) {
        super(
                header,
                session.connectionId,
                session.clientAddress,
                session.clientPort,
                session.principal,
                session.listenerName,
                session.securityProtocol,
                session.clientInformation,
                session.fromPrivilegedListener,
                session.principalSerde);
        this.batches = batches;
    }

    /** The size is the request's as its client sent it: quotas go by it. */
    @Override
    public RequestAndSize parseRequest(ByteBuffer buffer) {
        int sizeBytes = buffer.remaining() + batches.sizeBytes();
        ProduceRequest request = ProduceRequest.parse(new Landed(buffer), apiVersion());
        if (request.transactionalId() != null) {
            throw new InvalidRequestException("a transactional request does not lie in segments");
        }
        return new RequestAndSize(request, sizeBytes);
    }

    private final class Landed extends ByteBufferAccessor {
        Landed(ByteBuffer buffer) {
            super(buffer);
        }

        @Override
        public MemoryRecords readRecords(int lengthBytes) {
            ByteBuffer batch = batches.next(lengthBytes);
            if (batch == null) {
                throw new InvalidRequestException("the request's records are not those that were announced");
            }
            return MemoryRecords.readableRecords(batch);
        }
    }
}
