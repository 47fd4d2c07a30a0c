// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka44;

import io.slipstream.broker.kafka.server.FrameMemory;
import io.slipstream.broker.kafka.server.SendReply;
import io.slipstream.broker.ring.RingFrameIn;
import io.slipstream.protocol.ring.RingFrame;
import org.apache.kafka.common.network.Send;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.network.CloseConnectionResponse;
import org.apache.kafka.network.EndThrottlingResponse;
import org.apache.kafka.network.NoOpResponse;
import org.apache.kafka.network.Request;
import org.apache.kafka.network.Response;
import org.apache.kafka.network.SendResponse;
import org.apache.kafka.network.StartThrottlingResponse;

/** A response in the reply ring. It updates the broker's request metrics as a network thread does. */
final class ResponseReply extends SendReply {
    private final Response response;

    private ResponseReply(RingFrameIn frame, Response response, Send send, int flags) {
        super(frame, response.request().header(), send, flags);
        this.response = response;
    }

    /** Hands the response to the link on which its request came. */
    static void send(Response response) {
        RingFrameIn frame = ((FrameMemory) response.request().memoryPool()).frame();
        if (response instanceof SendResponse sent) {
            reply(frame, response, sent.responseSend(), 0);
        } else if (response instanceof StartThrottlingResponse) {
            frame.link.throttle(frame.session, true);
        } else if (response instanceof EndThrottlingResponse) {
            frame.link.throttle(frame.session, false);
        } else if (response instanceof NoOpResponse) {
            reply(frame, response, null, RingFrame.FLAG_NO_RESPONSE);
        } else if (response instanceof CloseConnectionResponse) {
            reply(frame, response, null, RingFrame.FLAG_CLOSE_CONNECTION);
        } else {
            throw new IllegalArgumentException("Unknown response type: " + response.getClass());
        }
    }

    private static void reply(RingFrameIn frame, Response response, Send send, int flags) {
        frame.link.reply(new ResponseReply(frame, response, send, flags));
    }

    @Override
    public void onDone() {
        Request request = response.request();
        request.responseDequeueTimeNanos(Time.SYSTEM.nanoseconds());
        request.updateRequestMetrics(0L, response.responseLog());
    }
}
