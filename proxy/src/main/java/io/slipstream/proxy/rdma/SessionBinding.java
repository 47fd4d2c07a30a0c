// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.BrokerLink;
import io.slipstream.link.LiveLink;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.link.meter.GrantKind;
import io.slipstream.link.ring.LinkSession;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.proxy.spi.FastPathFactory.ClientConnection;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Binds one client connection to its broker's link (docs/protocol.md, "Session binding"); states in
 * {@link BindingState}. Each answer is checked against the state that requested it, so that late answers have no
 * effect. Confined to the event loop.
 */
final class SessionBinding implements LinkSession, BrokerLink.Waiter {
    private static final Logger log = LoggerFactory.getLogger(SessionBinding.class);
    /** Pause before a refused or failed binding is retried. */
    private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

    private final ClientConnection connection;
    private final ClientFastPath path;
    private BindingState state = new BindingState.Unbound(FallbackReason.SESSION_NOT_BOUND, System.nanoTime());

    SessionBinding(ClientConnection connection, ClientFastPath path) {
        this.connection = connection;
        this.path = path;
    }

    /** The link on which this connection is bound, else null. */
    LiveLink link() {
        return state instanceof BindingState.Bound bound ? bound.link() : null;
    }

    int sessionId() {
        return ((BindingState.Bound) state).sessionId();
    }

    /** Reason why a request must fall back now; null if it may wait or the connection is bound. */
    FallbackReason refusal() {
        if (state instanceof BindingState.Refused refused) {
            if (refused.link().isUp()) {
                return FallbackReason.RDMA_OFF;
            }
            // The broker's settings may have changed with the link.
            state = new BindingState.Unbound(FallbackReason.RDMA_OFF, System.nanoTime());
        } else if (state instanceof BindingState.Closed) {
            return FallbackReason.LINK_DOWN;
        } else if (state instanceof BindingState.Unbound unbound && unbound.retryAtNs() - System.nanoTime() > 0) {
            return unbound.reason();
        }
        return null;
    }

    boolean isUnbound() {
        return state instanceof BindingState.Unbound;
    }

    boolean awaitsLink() {
        return state instanceof BindingState.AwaitingLink;
    }

    /** Starts an attempt; only in Unbound. The path may be called before this returns. */
    void start(BrokerLink brokerLink) {
        state = new BindingState.AwaitingLink();
        brokerLink.request(this);
    }

    @Override
    public void onLinkUp(LiveLink link) {
        if (!(state instanceof BindingState.AwaitingLink)) {
            return;
        }
        BindingState.AwaitingNonce asking = new BindingState.AwaitingNonce();
        state = asking;
        link.ask(new ControlRequest.BeginSession(link.linkId()), response -> {
            if (state == asking) {
                onNonce(link, (ControlResponse.BeginSession) response);
            }
        });
    }

    @Override
    public void onLinkUnavailable(FallbackReason reason) {
        if (state instanceof BindingState.AwaitingLink) {
            // The link itself knows when to retry.
            unbind(reason, 0, false);
        }
    }

    private void onNonce(LiveLink link, ControlResponse.BeginSession response) {
        if (response == null || response.error() != ControlError.NONE) {
            link.meters().granted(GrantKind.SESSION, response);
            refused(link, "BeginSession", response);
            return;
        }
        BindingState.AwaitingBroker sent = new BindingState.AwaitingBroker();
        state = sent;
        connection.sendNonce(response.nonce(), answer -> {
            if (state == sent) {
                onBrokerAnswer(link, response.nonce(), answer);
            }
        });
    }

    private void onBrokerAnswer(LiveLink link, String nonce, ByteBuf answer) {
        if (answer == null || !isAccepted(answer) || !link.isUp()) {
            unbind(FallbackReason.SESSION_NOT_BOUND, PAUSE_NS, false);
            return;
        }
        BindingState.AwaitingConfirm confirming = new BindingState.AwaitingConfirm();
        state = confirming;
        link.ask(new ControlRequest.ConfirmSession(link.linkId(), nonce), response -> {
            ControlResponse.ConfirmSession confirmed = (ControlResponse.ConfirmSession) response;
            if (state == confirming) {
                onConfirmed(link, confirmed);
            } else if (confirmed != null && confirmed.error() == ControlError.NONE) {
                link.tell(new ControlRequest.CloseSession(link.linkId(), confirmed.sessionId()));
            }
        });
    }

    /** Whether the broker answered without an error; the response has a version 0 header in every version. */
    private static boolean isAccepted(ByteBuf response) {
        return response.readableBytes() >= 6 && response.getShort(response.readerIndex() + 4) == 0;
    }

    private void onConfirmed(LiveLink link, ControlResponse.ConfirmSession response) {
        link.meters().granted(GrantKind.SESSION, response);
        if (response == null || response.error() != ControlError.NONE) {
            refused(link, "ConfirmSession", response);
        } else if (!link.isUp()) {
            unbind(FallbackReason.LINK_DOWN, 0, false);
        } else {
            state = new BindingState.Bound(link, response.sessionId());
            link.bind(response.sessionId(), this);
            path.onBound();
        }
    }

    private void refused(LiveLink link, String step, ControlResponse response) {
        if (!link.isUp()) {
            unbind(FallbackReason.LINK_DOWN, 0, false);
            return;
        }
        if (response != null && response.error() == ControlError.RDMA_OFF) {
            log.debug("broker {} excludes this client from RDMA: {}", connection.nodeId(), response.message());
            state = new BindingState.Refused(link);
            path.onUnbound(FallbackReason.RDMA_OFF, false);
            return;
        }
        log.debug("{} refused: {}", step, response);
        unbind(FallbackReason.SESSION_NOT_BOUND, PAUSE_NS, false);
    }

    private void unbind(FallbackReason reason, long retryInNs, boolean linkLost) {
        state = new BindingState.Unbound(reason, System.nanoTime() + retryInNs);
        path.onUnbound(reason, linkLost);
    }

    /** The plugin no longer knows the session although the link is up: bind again on the next request. */
    void forget() {
        if (state instanceof BindingState.Bound bound) {
            bound.link().unbind(bound.sessionId());
            unbind(FallbackReason.SESSION_NOT_BOUND, PAUSE_NS, true);
        }
    }

    @Override
    public void onThrottle(boolean muted) {
        path.setMuted(muted);
    }

    @Override
    public void onLinkLost(String reason) {
        if (state instanceof BindingState.Bound) {
            unbind(FallbackReason.LINK_DOWN, 0, true);
        }
    }

    void close() {
        BindingState last = state;
        state = new BindingState.Closed();
        if (last instanceof BindingState.Bound bound) {
            bound.link().unbind(bound.sessionId());
        }
    }
}
