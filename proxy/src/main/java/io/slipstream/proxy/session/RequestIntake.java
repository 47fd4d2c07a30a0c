// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.slipstream.link.meter.DisconnectCause;
import io.slipstream.protocol.address.ApiVersionsIntersection;
import io.slipstream.protocol.wire.ApiTable;
import io.slipstream.proxy.buffer.PooledMemory;
import io.slipstream.proxy.count.ClientActivity;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Puts the client's frames into slots, and records their information about the client. Confined to the client's event
 * loop.
 */
final class RequestIntake {
    private final SessionContext context;
    private final ClientActivity activity;
    private final ResponseSequencer sequencer;
    private final RequestHeaders headers = new RequestHeaders();
    final SaslState sasl = new SaslState();
    final ClientSoftware software = new ClientSoftware();
    /** The proxy's own requests that wait until the client has reauthenticated. */
    final ArrayDeque<Runnable> afterAuthentication = new ArrayDeque<>();

    private boolean identified;

    RequestIntake(SessionContext context, ClientActivity activity, ResponseSequencer sequencer) {
        this.context = context;
        this.activity = activity;
        this.sequencer = sequencer;
    }

    /**
     * Puts the client's next frame into a slot.
     *
     * @param wire with its size; owned by this method
     * @throws MalformedFrameException if it is no Kafka request, or of an API or version that the proxy does not know
     */
    void take(ByteBuf wire, long nowNs) {
        boolean raw = sasl.isRawToken(wire);
        if (!raw) {
            check(wire);
        }
        RequestSlot slot = sequencer.take();
        slot.wire = wire;
        slot.receivedNs = nowNs;
        slot.requestBytes = wire.readableBytes() - FrameDecoder.SIZE_BYTES;
        slot.expectsResponse = true;
        context.meters.inFlight.increment();
        activity.received(slot.requestBytes);
        if (raw) {
            slot.apiKey = RequestSlot.RAW;
            slot.overTcp = true;
            return;
        }
        ByteBuffer frame = PooledMemory.frame(wire);
        headers.read(frame, slot);
        if (!identified) {
            identified = true;
            activity.clientId = headers.clientId();
        }
        if (slot.apiKey == KafkaApi.PRODUCE) {
            context.frameCounts().readProduce(frame, slot);
        } else if (slot.apiKey == KafkaApi.API_VERSIONS) {
            software.learn(slot);
            activity.software = software.describe();
            if (ApiVersionsIntersection.isTooNew(slot.apiVersion) && headers.hasFlexibleHeader(wire)) {
                // The broker's answer could not be decoded, so the proxy gives that of a broker that does not know the
                // version.
                slot.response = Unpooled.wrappedBuffer(ApiVersionsIntersection.unsupportedVersion(slot.correlationId));
                slot.responseHasSize = false;
                slot.state = RequestSlot.State.DONE;
            }
        }
        sasl.onRequest(slot.apiKey, slot.apiVersion);
        if (!sasl.authenticating) {
            runDeferred();
        }
    }

    private static void check(ByteBuf wire) {
        int sizeBytes = wire.readableBytes() - FrameDecoder.SIZE_BYTES;
        if (wire.readableBytes() < RequestHeaders.FIXED_BYTES) {
            wire.release();
            throw new MalformedFrameException(
                    DisconnectCause.MALFORMED_REQUEST, "a frame of " + sizeBytes + " bytes is not a Kafka request");
        }
        short apiKey = RequestHeaders.apiKey(wire);
        short version = RequestHeaders.apiVersion(wire);
        if (apiKey != KafkaApi.API_VERSIONS && version > ApiTable.highestVersion(apiKey)) {
            wire.release();
            throw new MalformedFrameException(
                    DisconnectCause.UNSUPPORTED_API, "API " + apiKey + " version " + version + " is not offered");
        }
    }

    void runDeferred() {
        for (Runnable deferred = afterAuthentication.poll(); deferred != null; deferred = afterAuthentication.poll()) {
            deferred.run();
        }
    }
}
