// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import io.slipstream.link.BrokerLinks;
import io.slipstream.link.LiveLink;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.proxy.fetch.FetchPath;
import io.slipstream.proxy.fetch.FetchResources;
import io.slipstream.proxy.ring.RingPath;
import io.slipstream.proxy.spi.FastPath;
import io.slipstream.proxy.spi.FastPathFactory.ClientConnection;
import io.slipstream.proxy.spi.PendingRequest;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * The fast path of one client connection. Passes requests to {@link RingPath} and {@link FetchPath} while the
 * session is bound. Otherwise requests wait for the binding until its deadline, or fall back. Confined to the event
 * loop.
 */
public final class ClientFastPath implements FastPath {
    /** Above the number of requests that a client has in flight. */
    private static final int MOST_WAITING = 64;
    /** With so many bytes waiting, the client is not read. */
    private static final int MOST_WAITING_BYTES = 512 << 10;

    private final ClientConnection connection;
    private final BrokerLinks links;
    private final BooleanSupplier enabled;
    private final long linkWaitNs;
    private final long bindWaitNs;
    private final SessionBinding binding;
    private final RingPath ring = new RingPath();
    private final FetchPath fetch;
    private final ArrayDeque<PendingRequest> waiting = new ArrayDeque<>();
    private final Runnable expireWaiting = this::expireWaiting;
    private boolean expiryScheduled;
    private long waitingSinceNs;
    private long waitingBytes;
    private boolean muted;
    private boolean closed;

    public ClientFastPath(
            ClientConnection connection, BrokerLinks links, BooleanSupplier enabled, FetchResources shared) {
        this.connection = connection;
        this.links = links;
        this.enabled = enabled;
        this.linkWaitNs = shared.settings().linkWaitNs();
        this.bindWaitNs = shared.settings().bindWaitNs();
        this.binding = new SessionBinding(connection, this);
        this.fetch = new FetchPath(shared, binding::forget);
    }

    @Override
    public void submit(PendingRequest request) {
        LiveLink link = binding.link();
        if (closed) {
            request.fallBack(FallbackReason.LINK_DOWN);
        } else if (!enabled.getAsBoolean()) {
            fallBackWaiting(FallbackReason.DISABLED);
            fallBack(request, FallbackReason.DISABLED);
        } else if (link != null && waiting.isEmpty()) {
            dispatch(link, request);
        } else {
            await(request);
        }
    }

    /** Returns why a request takes TCP instead of the ring, or null. */
    private FallbackReason dispatch(LiveLink link, PendingRequest request) {
        if (request.apiKey == ApiKeys.FETCH.id) {
            fetch.submit(link, binding.sessionId(), request);
            return null;
        }
        return ring.submit(link, binding.sessionId(), request);
    }

    /** Queues the request until the session is bound, or falls back if no binding is possible. */
    private void await(PendingRequest request) {
        long now = System.nanoTime();
        FallbackReason refusal = refusal(request, now);
        if (refusal != null) {
            // Requests that wait longer go first: their timer may be late, for example after a suspension of this
            // process.
            fallBackWaiting(refusal == FallbackReason.FRAME_TOO_LARGE ? FallbackReason.SESSION_NOT_BOUND : refusal);
            fallBack(request, refusal);
            return;
        }
        waiting.add(request);
        waitingBytes += request.frame().readableBytes();
        if (binding.isUnbound()) {
            waitingSinceNs = now;
            binding.start(links.to(connection.clusterId(), connection.nodeId()));
        }
        if (!waiting.isEmpty()) {
            scheduleExpiry(waitingSinceNs + mostWaitNs() - now);
        }
    }

    /** Reason why the request does not wait for the session; null if it does. */
    private FallbackReason refusal(PendingRequest request, long now) {
        FallbackReason refusal = connection.nodeId() < 0 || connection.clusterId() == null
                ? FallbackReason.SESSION_NOT_BOUND
                : binding.refusal();
        if (refusal != null) {
            return refusal;
        } else if (waiting.size() < MOST_WAITING && isTooLarge(request)) {
            return FallbackReason.FRAME_TOO_LARGE;
        }
        // After its deadline an attempt continues, but no request waits for it any more.
        boolean late = !binding.isUnbound() && now - waitingSinceNs >= mostWaitNs();
        return late || waiting.size() >= MOST_WAITING ? FallbackReason.SESSION_NOT_BOUND : null;
    }

    /** Whether the frame will not fit into the link's ring; unknown before the link is up. */
    private boolean isTooLarge(PendingRequest request) {
        LiveLink link = links.to(connection.clusterId(), connection.nodeId()).live();
        return link != null
                && request.apiKey != ApiKeys.FETCH.id
                && request.frame().readableBytes() > link.requests.maxFrameBytes;
    }

    /** A link, once its set-up has started, serves all later clients; this client need not wait for all of it. */
    private long mostWaitNs() {
        return binding.awaitsLink() ? linkWaitNs : bindWaitNs;
    }

    private void scheduleExpiry(long delayNs) {
        if (!expiryScheduled) {
            expiryScheduled = true;
            connection.eventLoop().schedule(expireWaiting, Math.max(1, delayNs), TimeUnit.NANOSECONDS);
        }
    }

    private void expireWaiting() {
        expiryScheduled = false;
        if (waiting.isEmpty()) {
            return;
        }
        long left = waitingSinceNs + mostWaitNs() - System.nanoTime();
        if (left > 0) {
            scheduleExpiry(left);
        } else {
            fallBackWaiting(FallbackReason.SESSION_NOT_BOUND);
        }
    }

    private void fallBackWaiting(FallbackReason reason) {
        for (PendingRequest request = waiting.poll(); request != null; request = waiting.poll()) {
            fallBack(request, reason);
        }
        onNoneWaiting();
    }

    private void onNoneWaiting() {
        boolean wasFull = waitingBytes >= MOST_WAITING_BYTES;
        waitingBytes = 0;
        if (wasFull) {
            connection.mark();
        }
    }

    private void fallBack(PendingRequest request, FallbackReason reason) {
        if (request.apiKey == ApiKeys.FETCH.id) {
            fetch.fallBack(request, reason);
        } else {
            request.fallBack(reason);
        }
    }

    /** The session is bound. If a request takes TCP, so do all that wait behind it: none may overtake it. */
    void onBound() {
        ring.onBound();
        FallbackReason reason = null;
        for (PendingRequest request = waiting.poll(); request != null; request = waiting.poll()) {
            LiveLink link = binding.link();
            if (reason == null && (link == null || !enabled.getAsBoolean())) {
                reason = FallbackReason.LINK_DOWN;
            }
            if (reason == null) {
                reason = dispatch(link, request);
            } else {
                fallBack(request, reason);
            }
        }
        onNoneWaiting();
    }

    /** The connection is not bound, or no longer bound; {@code linkLost} in the second case. */
    void onUnbound(FallbackReason reason, boolean linkLost) {
        if (linkLost) {
            fetch.onSessionLost();
            setMuted(false);
        }
        fallBackWaiting(reason);
    }

    @Override
    public boolean isBound() {
        return binding.link() != null && waiting.isEmpty();
    }

    /** The broker does not know a fetch session that the proxy keeps. */
    @Override
    public boolean mayBePassedOver(short apiKey) {
        return apiKey != ApiKeys.FETCH.id || !fetch.hasSession();
    }

    void setMuted(boolean now) {
        if (muted != now && !closed) {
            muted = now;
            connection.mark();
        }
    }

    @Override
    public boolean isMuted() {
        return muted || waitingBytes >= MOST_WAITING_BYTES;
    }

    @Override
    public void stopWaiting() {
        fetch.stopWaiting();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        // The session has cancelled its requests, so they need no answer.
        waiting.clear();
        fetch.close(binding::close);
    }
}
