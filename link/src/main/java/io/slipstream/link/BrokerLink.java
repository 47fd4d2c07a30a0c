// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.slipstream.link.control.ControlEndpoint;
import io.slipstream.link.memory.LoopMemory;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.link.meter.LinkFailure;
import io.slipstream.link.work.Contained;
import io.slipstream.link.work.LoopTurn;
import io.slipstream.rdma.QueuePair;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link of one event loop to one broker's plugin, across failures and reconnects; states in {@link LinkState}.
 * Confined to the event loop.
 */
public final class BrokerLink {
    private static final Logger log = LoggerFactory.getLogger(BrokerLink.class);

    private final LoopTurn turn;
    private final LinkEnvironment environment;
    private final ControlEndpoint endpoint;
    private final LoopMemory memory;
    private final List<Waiter> waiters = new ArrayList<>();
    private LinkState state = new LinkState.Absent();
    private final RetryPause retries;
    /** When somebody last requested the link, or lost it. */
    private long wantedAtNs;

    /** Waits for a link. Exactly one of the two methods is called, on the event loop. */
    public interface Waiter {
        void onLinkUp(LiveLink link);

        void onLinkUnavailable(FallbackReason reason);

        /** For links that are set up before a request needs them. */
        Waiter NOBODY = new Waiter() {
            @Override
            public void onLinkUp(LiveLink link) {}

            @Override
            public void onLinkUnavailable(FallbackReason reason) {}
        };
    }

    public BrokerLink(LoopTurn turn, LinkEnvironment environment, ControlEndpoint endpoint, LoopMemory memory) {
        this.turn = turn;
        this.environment = environment;
        this.endpoint = endpoint;
        this.memory = memory;
        this.retries = new RetryPause(environment.settings());
    }

    /** The link if it is up, else null. */
    public LiveLink live() {
        return state instanceof LinkState.Up up && up.link().isUp() ? up.link() : null;
    }

    /**
     * Requests the link. Answers at once unless the first set-up is in progress, or a set-up after the plugin was
     * absent.
     */
    public void request(Waiter waiter) {
        wantedAtNs = System.nanoTime();
        if (state instanceof LinkState.Up up && up.link().isUp()) {
            waiter.onLinkUp(up.link());
        } else if (state instanceof LinkState.Up
                || state instanceof LinkState.Reconnecting
                || state instanceof LinkState.Closed) {
            waiter.onLinkUnavailable(FallbackReason.LINK_DOWN);
        } else if (state instanceof LinkState.Down down
                && (retriesByItself(down) || down.retryAtNs() - wantedAtNs > 0)) {
            waiter.onLinkUnavailable(down.reason());
        } else {
            waiters.add(waiter);
            if (!(state instanceof LinkState.Connecting)) {
                connect();
            }
        }
    }

    void onEstablished(LiveLink link) {
        state = new LinkState.Up(link);
        retries.reset();
        environment.meters().linksUp.increment();
        log.info("link {} to broker {} is up", link.linkId(), link.hello().nodeId());
        link.parts
                .connection()
                .whenClosed(turn.loop, () -> link.fail(LinkFailure.CONTROL_LOST, "control connection closed"));
        try {
            link.start();
        } catch (Throwable e) {
            link.onThrown(e);
        }
        answerWaiters(waiter -> {
            if (link.isUp()) {
                waiter.onLinkUp(link);
            } else {
                waiter.onLinkUnavailable(FallbackReason.LINK_DOWN);
            }
        });
    }

    void onFailed(FallbackReason reason, LinkFailure failure, String message) {
        if (state instanceof LinkState.Closed) {
            return;
        }
        if (reason != FallbackReason.NO_PLUGIN) {
            environment.meters().linkFailed(failure);
            // This obstacle is permanent; Devices has logged it once.
            if (reason != FallbackReason.NO_PROVIDER) {
                log.warn("no link to the plugin: {}", message);
            }
        }
        pause(reason);
        answerWaiters(waiter -> waiter.onLinkUnavailable(reason));
    }

    /** The queue pair left CONNECTED, at any time after it was connected. */
    void onDisconnected(QueuePair queuePair, String reason) {
        if (state instanceof LinkState.Up up && up.link().parts.queuePair() == queuePair) {
            up.link().fail(LinkFailure.QUEUE_PAIR, reason);
        }
    }

    void onDown() {
        environment.meters().linksUp.decrement();
        if (state instanceof LinkState.Up up && up.link().idle) {
            state = new LinkState.Absent();
        } else if (!(state instanceof LinkState.Closed)) {
            wantedAtNs = System.nanoTime();
            pause(FallbackReason.LINK_DOWN);
        }
    }

    private void pause(FallbackReason reason) {
        long pauseNs;
        if (reason == FallbackReason.NO_PLUGIN) {
            // Frequent retries do no harm. The plugin may start at any time, and its first refusal is a new failure.
            pauseNs = environment.settings().absenceNs();
            retries.reset();
        } else {
            pauseNs = retries.nextNs();
        }
        LinkState.Down down = new LinkState.Down(reason, System.nanoTime() + pauseNs);
        state = down;
        if (retriesByItself(down)) {
            // The plugin exists, so set the link up again now; the next client need not wait for it.
            turn.loop.schedule(() -> tryAgain(down), pauseNs, TimeUnit.NANOSECONDS);
        }
    }

    private static boolean retriesByItself(LinkState.Down down) {
        return down.reason() == FallbackReason.LINK_DOWN;
    }

    private void tryAgain(LinkState.Down since) {
        if (state != since) {
            return;
        }
        if (System.nanoTime() - wantedAtNs > environment.settings().idleNs()) {
            state = new LinkState.Absent();
        } else {
            connect();
        }
    }

    private void connect() {
        LinkEstablisher attempt = new LinkEstablisher(turn, environment, endpoint, memory, this);
        boolean again = state instanceof LinkState.Down down && retriesByItself(down);
        state = again ? new LinkState.Reconnecting(attempt) : new LinkState.Connecting(attempt);
        attempt.start();
    }

    /** What one client's waiter throws concerns no other client. */
    private void answerWaiters(Consumer<Waiter> answer) {
        List<Waiter> taken = List.copyOf(waiters);
        waiters.clear();
        for (Waiter waiter : taken) {
            Contained.run("a client's wait for a link", () -> answer.accept(waiter));
        }
    }

    /**
     * Closes the link.
     *
     * @return completes on the event loop when all its resources are released
     */
    public CompletableFuture<Void> close() {
        LinkState last = state;
        state = new LinkState.Closed();
        if (last instanceof LinkState.Up up) {
            up.link().fail(LinkFailure.CLOSED, "the proxy is shutting down");
        } else if (last instanceof LinkState.Connecting connecting) {
            connecting.attempt().fail(LinkFailure.CLOSED, "closed");
        } else if (last instanceof LinkState.Reconnecting reconnecting) {
            reconnecting.attempt().fail(LinkFailure.CLOSED, "closed");
        }
        answerWaiters(waiter -> waiter.onLinkUnavailable(FallbackReason.LINK_DOWN));
        return last instanceof LinkState.Up up ? up.link().ended : CompletableFuture.completedFuture(null);
    }
}
