// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka44;

import io.slipstream.broker.kafka.server.FrameMemory;
import io.slipstream.broker.kafka.server.RequestIntake;
import io.slipstream.broker.kafka.server.SendReply;
import io.slipstream.broker.ring.RingFrameIn;
import io.slipstream.protocol.ring.RingFrame;
import kafka.network.RequestChannel;
import org.apache.kafka.common.network.Send;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.network.BaseRequest;
import org.apache.kafka.network.CallbackRequest;
import org.apache.kafka.network.CloseConnectionResponse;
import org.apache.kafka.network.EndThrottlingResponse;
import org.apache.kafka.network.NoOpResponse;
import org.apache.kafka.network.Request;
import org.apache.kafka.network.Response;
import org.apache.kafka.network.SendResponse;
import org.apache.kafka.network.ShutdownRequest;
import org.apache.kafka.network.StartThrottlingResponse;
import org.apache.kafka.network.metrics.RequestChannelMetrics;

/**
 * The request channel of one handler thread. Requests come from the intake, and a response goes back to the ring of its
 * request. The stock channel's queues and network threads are not used. It shares the metrics of the broker's own
 * channel, so none of its methods that remove metrics may be called.
 */
final class RingRequestChannel extends RequestChannel {
    private static final int UNUSED_QUEUE_SIZE = 1;

    private final RequestIntake intake;

    private RingRequestChannel(RequestIntake intake, Time time, RequestChannelMetrics metrics) {
        super(UNUSED_QUEUE_SIZE, time, metrics);
        this.intake = intake;
    }

    /** Returns the stock class, so that the JVM can verify the caller without loading it. */
    static RequestChannel of(RequestIntake intake, Time time, RequestChannelMetrics metrics) {
        return new RingRequestChannel(intake, time, metrics);
    }

    @Override
    public BaseRequest receiveRequest(long timeoutMs) {
        return (BaseRequest) intake.next(timeoutMs);
    }

    @Override
    public BaseRequest receiveRequest() {
        throw new UnsupportedOperationException("handler threads wait with a timeout");
    }

    @Override
    public void sendRequest(Request request) {
        throw new UnsupportedOperationException("requests come from the rings");
    }

    @Override
    public void sendResponse(Request request, AbstractResponse response) {
        ((FrameMemory) request.memoryPool()).note(response);
        super.sendResponse(request, response);
    }

    @Override
    public void sendResponse(Response response) {
        // Sets the time stamps. It delivers nothing, because no network thread has the request's processor id.
        super.sendResponse(response);
        ResponseReply.send(response);
    }

    @Override
    public void sendCallbackRequest(CallbackRequest request) {
        intake.add(request);
    }

    @Override
    public void sendShutdownRequest() {
        intake.stop(ShutdownRequest.INSTANCE);
    }

    /** Does nothing: the stock method would close the broker's own metrics. */
    @Override
    public void shutdown() {
        sendShutdownRequest();
    }

    /** A response in the reply ring. It updates the broker's request metrics as a network thread does. */
    private static final class ResponseReply extends SendReply {
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
}
