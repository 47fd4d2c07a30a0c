package io.slipstream.broker.kafka44;

import io.slipstream.broker.kafka.server.RequestIntake;
import kafka.network.RequestChannel;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.network.BaseRequest;
import org.apache.kafka.network.CallbackRequest;
import org.apache.kafka.network.Request;
import org.apache.kafka.network.Response;
import org.apache.kafka.network.ShutdownRequest;
import org.apache.kafka.network.metrics.RequestChannelMetrics;

/**
 * The request channel of one handler thread: requests come from its intake, responses go back to the ring they came from. The stock
 * channel's queues and network threads are not used; its gauges and metrics are shared with the broker's own channel, so nothing of it
 * that removes metrics may be called.
 *
 * <p>{@link #receiveRequest} belongs to the handler thread; responses and callbacks come from any thread.
 */
final class RingRequestChannel extends RequestChannel {
    private static final int UNUSED_QUEUE_SIZE = 1;

    private final RequestIntake intake;

    private RingRequestChannel(RequestIntake intake, Time time, RequestChannelMetrics metrics) {
        super(UNUSED_QUEUE_SIZE, time, metrics);
        this.intake = intake;
    }

    /** Declared to return the stock class: then the caller's class can be loaded without it. */
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
    public void sendResponse(Response response) {
        // Sets the time stamps; finds no network thread to give the response to.
        super.sendResponse(response);
        ResponseReply.send(response);
    }

    @Override
    public void sendCallbackRequest(CallbackRequest request) {
        intake.add(request);
    }

    @Override
    public void sendShutdownRequest() {
        intake.add(ShutdownRequest.INSTANCE);
    }

    /** The stock one would close metrics that are the broker's. */
    @Override
    public void shutdown() {
        sendShutdownRequest();
    }
}
