package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.fetch.FetchResponseView;
import io.slipstream.protocol.fetch.SessionlessFetch;
import io.slipstream.protocol.produce.ProduceRequestView;
import io.slipstream.protocol.wire.RequestHeaderView;
import io.slipstream.proxy.buffer.PooledMemory;
import java.nio.ByteBuffer;

/** What a session looks up in Produce and Fetch frames without decoding them: how many records they hold. Confined to one thread. */
final class FrameCounts {
    private final RequestHeaderView header = new RequestHeaderView();
    private final ProduceRequestView produce = new ProduceRequestView();
    private final FetchRequestView fetch = new FetchRequestView();
    private final FetchResponseView fetched = new FetchResponseView();

    /** Records in a Produce request with its size prefix; what is malformed, or of an unknown version, counts as none. */
    long ofProduceRequest(ByteBuf wire) {
        ByteBuffer frame = frame(wire, true);
        if (header.wrap(frame)) {
            produce.wrap(frame, header.bodyPosition(), header.apiVersion());
            return produce.recordCount();
        }
        return 0;
    }

    /** Records in the response to the slot's Fetch. */
    long ofFetchResponse(RequestSlot slot, ByteBuf response, boolean hasSize) {
        return fetched.wrap(frame(response, hasSize), slot.apiVersion) ? fetched.recordCount() : 0;
    }

    /** Makes a full Fetch, in place, ask the broker for no session; leaves others as they are. */
    void declineSession(ByteBuf wire) {
        ByteBuffer frame = frame(wire, true);
        if (header.wrap(frame)
                && fetch.wrap(frame, header.bodyPosition(), header.apiVersion())
                && fetch.sessionId() == 0
                && fetch.session().isFull()) {
            SessionlessFetch.patch(frame, header.bodyPosition(), header.apiVersion());
        }
    }

    private static ByteBuffer frame(ByteBuf buffer, boolean hasSize) {
        int sizeBytes = hasSize ? FrameDecoder.SIZE_BYTES : 0;
        return PooledMemory.view(buffer, buffer.readerIndex() + sizeBytes, buffer.readableBytes() - sizeBytes);
    }
}
