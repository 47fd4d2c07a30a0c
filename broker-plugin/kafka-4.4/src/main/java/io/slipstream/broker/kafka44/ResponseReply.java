package io.slipstream.broker.kafka44;

import io.slipstream.broker.ring.LandedFrame;
import io.slipstream.broker.ring.RingReply;
import io.slipstream.protocol.ring.RingFrame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.network.CloseConnectionResponse;
import org.apache.kafka.network.EndThrottlingResponse;
import org.apache.kafka.network.NoOpResponse;
import org.apache.kafka.network.Request;
import org.apache.kafka.network.Response;
import org.apache.kafka.network.SendResponse;
import org.apache.kafka.network.StartThrottlingResponse;

/** A response of the broker as a frame of the reply ring; keeps the broker's request metrics as a network thread would. */
final class ResponseReply extends RingReply {
    private final Response response;

    private ResponseReply(LandedFrame frame, Response response, int flags) {
        super(frame, flags);
        this.response = response;
    }

    /** Hands the response to the link on which its request came. */
    static void send(Response response) {
        LandedFrame frame = ((FrameMemory) response.request().memoryPool()).frame();
        if (response instanceof StartThrottlingResponse) {
            frame.link().throttle(frame.session(), true);
        } else if (response instanceof EndThrottlingResponse) {
            frame.link().throttle(frame.session(), false);
        } else {
            frame.link().reply(new ResponseReply(frame, response, flagsOf(response)));
        }
    }

    private static int flagsOf(Response response) {
        if (response instanceof SendResponse) {
            return 0;
        } else if (response instanceof NoOpResponse) {
            return RingFrame.FLAG_NO_RESPONSE;
        } else if (response instanceof CloseConnectionResponse) {
            return RingFrame.FLAG_CLOSE_CONNECTION;
        }
        throw new IllegalArgumentException("Unknown response type: " + response.getClass());
    }

    @Override
    public int payloadBytes() {
        return response instanceof SendResponse send
                ? (int) Math.min(Integer.MAX_VALUE, send.responseSend().size() - StagingChannel.SIZE_BYTES)
                : 0;
    }

    @Override
    public void writeTo(ByteBuffer target) {
        try {
            StagingChannel.drain(((SendResponse) response).responseSend(), target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void onDone() {
        Request request = response.request();
        request.responseDequeueTimeNanos(Time.SYSTEM.nanoseconds());
        request.updateRequestMetrics(0L, response.responseLog());
    }
}
