// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the links that are set up at the same time; further ones wait in the order of their requests. All proxies of a
 * broker ask when it has restarted. Without turns, the provider refuses most of so many connections, and deadlines pass
 * while all of them share the processors. Confined to the control thread.
 */
final class SetupTurns {
    /** The providers admit twice as many connections that are not established. */
    static final int MOST_AT_ONCE = 64;
    /** A proxy that does not finish in this time no longer holds up the others. */
    static final long LONGEST_TURN_NS = TimeUnit.SECONDS.toNanos(1);
    /** Leaves a proxy time for the set-up: its own deadline is 5 s by default. */
    static final long LONGEST_WAIT_NS = TimeUnit.SECONDS.toNanos(3);

    private final int mostWaiting;
    private final PluginMeters counters;
    private final Deque<Turn> waiting = new ArrayDeque<>();
    /** In the order of their beginning. */
    private final Set<Turn> taken = new LinkedHashSet<>();

    /** One link's turn. */
    static final class Turn {
        private final Object connection;
        private final CompletableFuture<Turn> begun = new CompletableFuture<>();
        /** When it began to wait; from its beginning, when it began. */
        private long sinceNs;

        private Turn(Object connection, long nowNs) {
            this.connection = connection;
            this.sinceNs = nowNs;
        }
    }

    SetupTurns(int mostWaiting, PluginMeters counters) {
        this.mostWaiting = mostWaiting;
        this.counters = counters;
    }

    /** Completes when the turn begins; with null if too many wait, or if it waited too long. */
    CompletableFuture<Turn> take(Object connection, long nowNs) {
        Turn turn = new Turn(connection, nowNs);
        if (waiting.size() >= mostWaiting) {
            turn.begun.complete(null);
        } else {
            waiting.add(turn);
            counters.add(PluginMeter.LINKS_WAITING, 1);
            proceed(nowNs);
        }
        return turn.begun;
    }

    /** The link is set up, or will not be. Idempotent. */
    void end(Turn turn, long nowNs) {
        taken.remove(turn);
        proceed(nowNs);
    }

    /** Nobody waits for answers to that connection any more. */
    void forget(Object connection) {
        int before = waiting.size();
        waiting.removeIf(turn -> turn.connection == connection);
        counters.add(PluginMeter.LINKS_WAITING, waiting.size() - before);
    }

    /** Ends what takes too long, and begins as many turns as there is room for. */
    void proceed(long nowNs) {
        for (Iterator<Turn> oldest = taken.iterator();
                oldest.hasNext() && nowNs - oldest.next().sinceNs > LONGEST_TURN_NS; ) {
            oldest.remove();
        }
        Turn next;
        while ((next = waiting.peek()) != null) {
            boolean isLate = nowNs - next.sinceNs > LONGEST_WAIT_NS;
            if (!isLate && taken.size() >= MOST_AT_ONCE) {
                return;
            }
            waiting.remove();
            counters.add(PluginMeter.LINKS_WAITING, -1);
            if (!isLate) {
                next.sinceNs = nowNs;
                taken.add(next);
            }
            next.begun.complete(isLate ? null : next);
        }
    }
}
