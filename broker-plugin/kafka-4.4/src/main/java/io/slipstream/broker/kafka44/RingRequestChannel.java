package io.slipstream.broker.kafka44;

import io.slipstream.broker.ring.LandedFrame;
import io.slipstream.broker.ring.RingThread;
import java.util.concurrent.locks.LockSupport;
import kafka.network.RequestChannel;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.network.BaseRequest;
import org.apache.kafka.network.CallbackRequest;
import org.apache.kafka.network.Request;
import org.apache.kafka.network.Response;
import org.apache.kafka.network.ShutdownRequest;
import org.apache.kafka.network.metrics.RequestChannelMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The request channel of one handler thread: requests come from the rings that the thread owns, responses go back to the ring they
 * came from. The stock channel's queues and network threads are not used; its gauges and metrics are shared with the broker's own
 * channel, so nothing of it that removes metrics may be called.
 *
 * <p>{@link #receiveRequest} belongs to the handler thread; responses and callbacks come from any thread.
 */
final class RingRequestChannel extends RequestChannel {
    private static final Logger log = LoggerFactory.getLogger(RingRequestChannel.class);
    private static final int UNUSED_QUEUE_SIZE = 1;
    /** A thread whose polling fails does not take a whole processor to say so. */
    private static final long AFTER_FAILURE_NS = 100_000_000L;

    private final RingThread thread;
    private final LandedRequests requests;
    private final ExcludedTopics excluded;
    /** At most one for each request in flight, so bounded by the links' credits. */
    private final ManyToOneConcurrentLinkedQueue<CallbackRequest> callbacks = new ManyToOneConcurrentLinkedQueue<>();

    private volatile boolean shutdown;

    RingRequestChannel(
            RingThread thread,
            LandedRequests requests,
            ExcludedTopics excluded,
            Time time,
            RequestChannelMetrics metrics) {
        super(UNUSED_QUEUE_SIZE, time, metrics);
        this.thread = thread;
        this.requests = requests;
        this.excluded = excluded;
    }

    @Override
    public BaseRequest receiveRequest(long timeoutMs) {
        if (shutdown) {
            return ShutdownRequest.INSTANCE;
        }
        CallbackRequest callback = callbacks.poll();
        if (callback != null) {
            return callback;
        }
        LandedFrame frame = null;
        try {
            thread.setHandling(null);
            frame = thread.poll(timeoutMs);
            return frame == null ? null : request(frame);
        } catch (Throwable e) {
            if (frame == null) {
                log.error("Polling the rings failed", e);
                LockSupport.parkNanos(AFTER_FAILURE_NS);
            } else {
                log.error(
                        "Closing connection {} because of error",
                        frame.session().bound().connectionId(),
                        e);
                frame.session().end();
                thread.refuse(frame);
            }
            return null;
        }
    }

    /** The frame's request; null if it is left to TCP. */
    private Request request(LandedFrame frame) {
        Request request = requests.request(frame);
        if (excluded != null && excluded.names((ProduceRequest) request.body())) {
            thread.leaveToTcp(frame);
            return null;
        }
        thread.setHandling(frame);
        return request;
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
        callbacks.add(request);
        thread.wakeUp();
    }

    @Override
    public void sendShutdownRequest() {
        shutdown = true;
        thread.wakeUp();
    }

    /** The stock one would close metrics that are the broker's. */
    @Override
    public void shutdown() {
        sendShutdownRequest();
    }
}
