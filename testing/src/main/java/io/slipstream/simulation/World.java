// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * Virtual time and its events: one queue, ordered by time and then by creation, so that a run is a function of its
 * seed. One world at a time per JVM, confined to one thread.
 *
 * <p>An event belongs to a {@link Host} or to none (wires and devices). Events of a dead host are dropped; those of a
 * stopped host wait.
 */
public final class World {
    private static final int TRACE_LINES = 4000;
    private static final int MOST_EVENTS = 200_000;
    private static final int MOST_LOOKS = 100_000;

    final SplittableRandom random;
    private final PriorityQueue<Event> events = new PriorityQueue<>(256);
    private final ArrayDeque<String> trace;
    private long nowNs = 1_000_000;
    private long made;
    private long handled;
    private long digest;
    /** Reads of the clock in one event. */
    private int looks;

    private Violation violation;

    /** @param traced whether to keep the lines of {@link #trace} */
    public World(long seed, boolean traced) {
        random = new SplittableRandom(seed);
        trace = traced ? new ArrayDeque<>() : null;
    }

    private static final class Event implements Comparable<Event> {
        final Host host;
        final Runnable action;
        final long order;
        long timeNs;

        Event(Host host, Runnable action, long order, long timeNs) {
            this.host = host;
            this.action = action;
            this.order = order;
            this.timeNs = timeNs;
        }

        @Override
        public int compareTo(Event other) {
            return timeNs != other.timeNs ? Long.compare(timeNs, other.timeNs) : Long.compare(order, other.order);
        }
    }

    /** Returns the time without advancing it. */
    public long nowNs() {
        return nowNs;
    }

    /** As {@link System#nanoTime}: each call advances the time by a nanosecond, so that no two instants are equal. */
    long tick() {
        if (++looks > MOST_LOOKS) {
            throw new IllegalStateException("a thread goes round in circles");
        }
        return ++nowNs;
    }

    /** Returns a number from 0 (inclusive) to {@code bound} (exclusive). */
    public int random(int bound) {
        return random.nextInt(bound);
    }

    public boolean chance(int percent) {
        return percent > 0 && random.nextInt(100) < percent;
    }

    /** Runs the action later on this host; null for no host. */
    public void after(long delayNs, Host host, Runnable action) {
        events.add(new Event(host, action, made++, nowNs + Math.max(0, delayNs)));
    }

    /** Runs events until none is left, the time is over or an invariant is violated. */
    public void runUntil(long endNs) {
        while (violation == null && !events.isEmpty() && events.peek().timeNs <= endNs) {
            Event event = events.poll();
            if (event.host != null && !event.host.isAlive()) {
                continue;
            }
            nowNs = Math.max(nowNs, event.timeNs);
            if (event.host != null && event.host.stoppedUntilNs() > nowNs) {
                event.timeNs = event.host.stoppedUntilNs();
                events.add(event);
                continue;
            }
            digest = (digest ^ event.order ^ nowNs) * 0x9E3779B97F4A7C15L;
            if (++handled > MOST_EVENTS) {
                violate("liveness", "more than " + MOST_EVENTS + " events: something goes round in circles");
                return;
            }
            looks = 0;
            try {
                event.action.run();
            } catch (RuntimeException | Error failure) {
                violate("exception", failure.toString(), failure);
            }
        }
        if (violation == null) {
            nowNs = Math.max(nowNs, endNs);
        }
    }

    boolean isQuiet() {
        return events.isEmpty();
    }

    /** Reports a violated invariant; the first one ends the run. */
    public void violate(String invariant, String message) {
        violate(invariant, message, null);
    }

    void violate(String invariant, String message, Throwable cause) {
        if (violation == null) {
            violation = new Violation(invariant, message, nowNs, cause);
            trace(() -> "VIOLATION " + invariant + ": " + message);
        }
    }

    public Violation violation() {
        return violation;
    }

    /** Adds a line to the trace of a replayed run; free of cost otherwise. */
    public void trace(Supplier<String> line) {
        if (trace != null) {
            if (trace.size() == TRACE_LINES) {
                trace.removeFirst();
            }
            trace.add("%12.3f us  %s".formatted(nowNs / 1e3, line.get()));
        }
    }

    /** Returns the last lines of the trace. */
    public Iterable<String> traced() {
        return trace == null ? java.util.List.of() : trace;
    }

    long handled() {
        return handled;
    }

    /** Returns a digest that is equal for equal runs. */
    long digest() {
        return digest;
    }
}
