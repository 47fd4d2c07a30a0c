// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.ReferenceCountUtil;
import io.slipstream.link.meter.DisconnectCause;
import io.slipstream.protocol.fetch.FetchResponseView;
import io.slipstream.proxy.buffer.PooledMemory;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Converts a broker's response into the client's: translated if the broker received a substitute request, with the
 * proxy's addresses, and not before the named ports are open. Confined to the client's event loop.
 */
final class ResponseIntake {
    private static final Logger log = LoggerFactory.getLogger(ResponseIntake.class);

    private final ClientSession session;
    private final SessionContext context;
    private final Channel client;
    /** Of the answer that is passed on part by part; null before the first one. */
    private FetchResponseView passing;

    ResponseIntake(ClientSession session) {
        this.session = session;
        this.context = session.context;
        this.client = session.client;
    }

    /**
     * Takes a broker's response with its size, and owns it; it came over TCP or in the reply ring. Translates it first
     * if it answers a substitute request.
     */
    void take(RequestSlot slot, ByteBuf response) {
        ByteBuf wire = response;
        if (slot.apiKey == KafkaApi.FETCH) {
            context.frameCounts().addFetchResponse(slot, wire);
        }
        if (slot.translation != null) {
            wire = merged(slot, wire);
            int start = wire.readerIndex() + FrameDecoder.SIZE_BYTES;
            int sizeBytes = slot.translation.translate(PooledMemory.frame(wire));
            if (sizeBytes < 0) {
                wire.release();
                session.close(DisconnectCause.UPSTREAM_PROTOCOL, "a response that cannot be read");
                return;
            }
            wire.setInt(wire.readerIndex(), sizeBytes).writerIndex(start + sizeBytes);
        }
        onTranslated(slot, wire);
    }

    /**
     * Whether an answer that begins to arrive is passed on part by part: the connection's next one, to a Fetch without
     * translation. Node endpoints are taken out of it, because its size is sent before they arrive.
     */
    boolean passes(RequestSlot slot) {
        if (slot.apiKey != KafkaApi.FETCH || slot.translation != null || session.sequencer.head != slot.sequence) {
            return false;
        }
        passing = passing == null ? FetchResponseView.counting(true) : passing;
        return passing.begin(slot.apiVersion, FrameDecoder.SIZE_BYTES);
    }

    /** As {@link UpstreamConnection#pass}, for an answer to that slot. */
    int pass(RequestSlot slot, ByteBuf received, int leftBytes) {
        session.mark();
        ByteBuffer part =
                PooledMemory.view(received, received.readerIndex(), Math.min(received.readableBytes(), leftBytes));
        int start = part.position();
        int end = context.frameCounts().addFetchPart(slot, passing, part, leftBytes - part.remaining());
        if (end < 0) {
            throw new MalformedFrameException(DisconnectCause.UPSTREAM_PROTOCOL, "a Fetch answer that cannot be read");
        }
        if (end - start == leftBytes) {
            session.writer.reservedBytes = 0;
            session.dispatcher.onAnswer(slot, received.readRetainedSlice(leftBytes), true);
        } else if (end > start) {
            session.writer.pass(slot, received.readRetainedSlice(end - start));
        }
        return end - start;
    }

    /** The broker's response, or the whole one if a part was read by RDMA; owned like the argument. */
    private ByteBuf merged(RequestSlot slot, ByteBuf rest) {
        ByteBuf whole = slot.translation.merge(rest);
        if (whole == null) {
            return rest;
        }
        slot.restBytes = rest.readableBytes() - FrameDecoder.SIZE_BYTES;
        ApiMeters overTcp = context.meters.of(slot.apiKey, false);
        overTcp.records().add(slot.records);
        overTcp.responseBytes().add(slot.restBytes);
        session.activity.fetchedByTcp(slot.records);
        slot.records = slot.translation.records();
        slot.answeredByRdma = true;
        slot.translation.release();
        rest.release();
        return whole;
    }

    private void onTranslated(RequestSlot slot, ByteBuf wire) {
        if (slot.apiKey == KafkaApi.METADATA) {
            context.topicNames.learn(PooledMemory.frame(wire), slot.apiVersion);
        }
        if (slot.namesNoBroker
                || slot.apiKey == RequestSlot.RAW
                || !context.adapter.adapts(slot.apiKey, slot.apiVersion)) {
            session.dispatcher.onAnswer(slot, wire, true);
            return;
        }
        ResponseAdapter.Adapted adapted = adapt(slot, wire);
        if (adapted == null) {
            wire.release();
        } else if (adapted.served() == null) {
            onAdapted(slot, wire, adapted.replacement());
        } else {
            ReferenceCountUtil.release(adapted.replacement());
            adaptWhenServed(slot, wire, adapted.served());
        }
    }

    /** The client must not learn of a broker whose port here is not open yet. */
    private void adaptWhenServed(RequestSlot slot, ByteBuf wire, CompletableFuture<Void> served) {
        served.whenComplete((done, failure) -> client.eventLoop().execute(() -> {
            ResponseAdapter.Adapted adapted = session.isClosed() ? null : adapt(slot, wire);
            if (adapted == null) {
                wire.release();
                return;
            }
            onAdapted(slot, wire, adapted.replacement());
            session.mark();
        }));
    }

    private void onAdapted(RequestSlot slot, ByteBuf wire, ByteBuf replacement) {
        if (replacement == null) {
            session.dispatcher.onAnswer(slot, wire, true);
        } else {
            wire.release();
            session.dispatcher.onAnswer(slot, replacement, false);
        }
    }

    /** Null if it could not be adapted; the session is then closed. */
    private ResponseAdapter.Adapted adapt(RequestSlot slot, ByteBuf response) {
        response.skipBytes(FrameDecoder.SIZE_BYTES);
        try {
            return context.adapter.adapt(slot.apiKey, slot.apiVersion, response, client);
        } catch (RuntimeException e) {
            log.debug("{}: a response cannot be rewritten", session, e);
            session.close(DisconnectCause.UPSTREAM_PROTOCOL, "a response that cannot be rewritten: " + e);
            return null;
        } finally {
            response.readerIndex(response.readerIndex() - FrameDecoder.SIZE_BYTES);
        }
    }
}
