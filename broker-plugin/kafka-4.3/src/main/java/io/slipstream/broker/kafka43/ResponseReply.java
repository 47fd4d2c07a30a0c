// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka43;

import io.slipstream.broker.kafka.server.FrameMemory;
import io.slipstream.broker.kafka.server.SendReply;
import io.slipstream.broker.ring.RingFrameIn;
import io.slipstream.protocol.ring.RingFrame;
import kafka.network.RequestChannel;
import org.apache.kafka.common.network.Send;
import org.apache.kafka.common.utils.Time;

/** A response in the reply ring. It updates the broker's request metrics as a network thread does. */
final class ResponseReply extends SendReply {
    private final RequestChannel.Response response;

    private ResponseReply(RingFrameIn frame, RequestChannel.Response response, Send send, int flags) {
        super(frame, response.request().header(), send, flags);
        this.response = response;
    }

    /** Hands the response to the link on which its request came. */
    static void send(RequestChannel.Response response) {
        RingFrameIn frame = ((FrameMemory) response.request().memoryPool()).frame();
        if (response instanceof RequestChannel.SendResponse sent) {
            reply(frame, response, sent.responseSend(), 0);
        } else if (response instanceof RequestChannel.StartThrottlingResponse) {
            frame.link.throttle(frame.session, true);
        } else if (response instanceof RequestChannel.EndThrottlingResponse) {
            frame.link.throttle(frame.session, false);
        } else if (response instanceof RequestChannel.NoOpResponse) {
            reply(frame, response, null, RingFrame.FLAG_NO_RESPONSE);
        } else if (response instanceof RequestChannel.CloseConnectionResponse) {
            reply(frame, response, null, RingFrame.FLAG_CLOSE_CONNECTION);
        } else {
            throw new IllegalArgumentException("Unknown response type: " + response.getClass());
        }
    }

    private static void reply(RingFrameIn frame, RequestChannel.Response response, Send send, int flags) {
        frame.link.reply(new ResponseReply(frame, response, send, flags));
    }

    @Override
    public void onDone() {
        RequestChannel.Request request = response.request();
        if (response instanceof RequestChannel.SendResponse sent
                && sent.onComplete().isDefined()) {
            sent.onComplete().get().apply(sent.responseSend());
        }
        request.responseDequeueTimeNanos_$eq(Time.SYSTEM.nanoseconds());
        request.updateRequestMetrics(0L, response);
    }
}
