// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import io.slipstream.link.BrokerLink;
import io.slipstream.link.LiveLink;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.link.ring.LinkSession;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Binds one fetcher's connection to the link of its leader, again whenever the binding ended (docs/protocol.md,
 * "Session binding"). Nobody waits for it: meanwhile the fetches take TCP.
 *
 * <pre>
 *   UNBOUND ──next fetch──▶ ASKING ──nonce──▶ ISSUED ──next fetch shows it──▶ CONFIRMING ──session──▶ BOUND
 *      ▲ └────────────────────┴── refused, link lost: pause ──────────────────────┴────────────────────┘
 * </pre>
 *
 * The event loop asks and confirms, the fetcher's thread shows the nonce. A step happens only if the state is the one
 * that it began with, so late answers have no effect.
 */
public final class LeaderSession implements BrokerLink.Waiter, LinkSession {
    private static final Logger log = LoggerFactory.getLogger(LeaderSession.class);
    private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(1);
    /** The settings of the leader's plugin exclude this broker, or its release is another one. */
    private static final long EXCLUDED_PAUSE_NS = TimeUnit.SECONDS.toNanos(30);

    private static final State ASKING = new State() {};
    private static final State CONFIRMING = new State() {};
    private static final State CLOSED = new State() {};

    private final LeaderLoop loop;
    private final BrokerLink brokerLink;
    private final LeaderConnection connection;
    private final int leader;
    private final int fetcherId;
    private final AtomicReference<State> state = new AtomicReference<>(new Unbound(System.nanoTime()));

    private interface State {}

    private record Unbound(long retryAtNs) implements State {}

    private record Issued(LiveLink link, String nonce) implements State {}

    /** The fetcher may use the link's request ring with this session. */
    record Bound(LiveLink link, int sessionId) implements State {}

    /** @param connection of the fetcher, by which the leader authenticates it */
    public LeaderSession(
            LeaderLoop loop, BrokerLink brokerLink, LeaderConnection connection, int leader, int fetcherId) {
        this.loop = loop;
        this.brokerLink = brokerLink;
        this.connection = connection;
        this.leader = leader;
        this.fetcherId = fetcherId;
    }

    int leader() {
        return leader;
    }

    /** Any thread. */
    public boolean isBound() {
        return state.get() instanceof Bound;
    }

    LeaderLoop loop() {
        return loop;
    }

    /** The fetcher's thread, before each fetch: returns the binding; else takes the next step to it, returns null. */
    Bound bound() {
        State now = state.get();
        if (now instanceof Bound bound) {
            return bound;
        } else if (now instanceof Issued issued) {
            show(issued);
        } else if (now instanceof Unbound unbound
                && System.nanoTime() - unbound.retryAtNs >= 0
                && state.compareAndSet(now, ASKING)) {
            loop.execute(() -> brokerLink.request(this));
        }
        return null;
    }

    @Override
    public void onLinkUp(LiveLink link) {
        if (link.carriesMoreThanProduce) {
            link.ask(new ControlRequest.BeginSession(link.linkId()), response -> onNonce(link, response));
        } else {
            unbind(ASKING, EXCLUDED_PAUSE_NS, "its plugin is of another release");
        }
    }

    @Override
    public void onLinkUnavailable(FallbackReason reason) {
        unbind(ASKING, PAUSE_NS, null);
    }

    private void onNonce(LiveLink link, ControlResponse response) {
        if (response instanceof ControlResponse.BeginSession begun && begun.error() == ControlError.NONE) {
            state.compareAndSet(ASKING, new Issued(link, begun.nonce()));
        } else {
            refused(ASKING, response);
        }
    }

    /** The leader sees the nonce on the connection that it has authenticated. */
    private void show(Issued issued) {
        if (!state.compareAndSet(issued, CONFIRMING)) {
            return;
        }
        try {
            if (connection.sendRequest(new NonceRequest(issued.nonce)).responseBody()
                            instanceof ApiVersionsResponse answer
                    && answer.data().errorCode() == 0) {
                loop.execute(() -> confirm(issued));
                return;
            }
        } catch (Exception e) {
            log.debug("leader {} did not answer the nonce of fetcher {}", leader, fetcherId, e);
        }
        unbind(CONFIRMING, PAUSE_NS, null);
    }

    private void confirm(Issued issued) {
        LiveLink link = issued.link;
        link.ask(new ControlRequest.ConfirmSession(link.linkId(), issued.nonce), response -> {
            if (response instanceof ControlResponse.ConfirmSession session && session.error() == ControlError.NONE) {
                onConfirmed(new Bound(link, session.sessionId()));
            } else {
                refused(CONFIRMING, response);
            }
        });
    }

    private void onConfirmed(Bound bound) {
        LiveLink link = bound.link;
        if (!link.isUp()) {
            unbind(CONFIRMING, 0, null);
            return;
        }
        link.bind(bound.sessionId, this);
        if (state.compareAndSet(CONFIRMING, bound)) {
            log.info("fetcher {} of leader {} fetches by RDMA", fetcherId, leader);
        } else {
            link.unbind(bound.sessionId);
        }
    }

    private void refused(State from, ControlResponse response) {
        boolean isExcluded = response != null && response.error() == ControlError.RDMA_OFF;
        String why = response == null ? "no answer" : response.error() + ": " + response.message();
        unbind(from, isExcluded ? EXCLUDED_PAUSE_NS : PAUSE_NS, why);
    }

    private void unbind(State from, long pauseNs, String why) {
        if (state.compareAndSet(from, new Unbound(System.nanoTime() + pauseNs)) && why != null) {
            log.info("fetcher {} of leader {} fetches over TCP: {}", fetcherId, leader, why);
        }
    }

    /** Any thread: ends this binding, which is no longer of use. */
    void release(Bound bound, String why) {
        unbind(bound, PAUSE_NS, why);
        loop.execute(() -> bound.link.unbind(bound.sessionId));
    }

    /** A broker does not throttle followers in this way: it leaves partitions out of its answers. */
    @Override
    public void onThrottle(boolean muted) {}

    @Override
    public void onLinkLost(String reason) {
        if (state.get() instanceof Bound bound) {
            unbind(bound, 0, reason);
        }
    }

    /** Any thread: ends the binding for good. */
    void close() {
        if (state.getAndSet(CLOSED) instanceof Bound bound) {
            loop.execute(() -> bound.link.unbind(bound.sessionId));
        }
    }
}
