package io.slipstream.broker.kafka43;

import io.slipstream.broker.ring.LandedFrame;
import io.slipstream.broker.ring.RingReply;
import io.slipstream.protocol.ring.RingFrame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import kafka.network.RequestChannel;
import org.apache.kafka.common.utils.Time;

/** A response of the broker as a frame of the reply ring; keeps the broker's request metrics as a network thread would. */
final class ResponseReply extends RingReply {
    private final RequestChannel.Response response;

    private ResponseReply(LandedFrame frame, RequestChannel.Response response, int flags) {
        super(frame, flags);
        this.response = response;
    }

    /** Hands the response to the link on which its request came. */
    static void send(RequestChannel.Response response) {
        LandedFrame frame = ((FrameMemory) response.request().memoryPool()).frame();
        if (response instanceof RequestChannel.StartThrottlingResponse) {
            frame.link().throttle(frame.session(), true);
        } else if (response instanceof RequestChannel.EndThrottlingResponse) {
            frame.link().throttle(frame.session(), false);
        } else {
            frame.link().reply(new ResponseReply(frame, response, flagsOf(response)));
        }
    }

    private static int flagsOf(RequestChannel.Response response) {
        if (response instanceof RequestChannel.SendResponse) {
            return 0;
        } else if (response instanceof RequestChannel.NoOpResponse) {
            return RingFrame.FLAG_NO_RESPONSE;
        } else if (response instanceof RequestChannel.CloseConnectionResponse) {
            return RingFrame.FLAG_CLOSE_CONNECTION;
        }
        throw new IllegalArgumentException("Unknown response type: " + response.getClass());
    }

    @Override
    public int payloadBytes() {
        return response instanceof RequestChannel.SendResponse send
                ? (int) Math.min(Integer.MAX_VALUE, send.responseSend().size() - StagingChannel.SIZE_BYTES)
                : 0;
    }

    @Override
    public void writeTo(ByteBuffer target) {
        try {
            StagingChannel.drain(((RequestChannel.SendResponse) response).responseSend(), target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void onDone() {
        RequestChannel.Request request = response.request();
        if (response instanceof RequestChannel.SendResponse send
                && send.onComplete().isDefined()) {
            send.onComplete().get().apply(send.responseSend());
        }
        request.responseDequeueTimeNanos_$eq(Time.SYSTEM.nanoseconds());
        request.updateRequestMetrics(0L, response);
    }
}
