// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * Virtual time and what happens in it: one queue of events, ordered by time and then by the order of their making, so that a run is a function of
 * its seed alone. One world at a time in a JVM, confined to one thread.
 *
 * <p>An event belongs to a {@link Host} or to none (wires and devices). Those of a dead host are dropped, those of one that is stopped wait.
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
    /** At the clock, in one event. */
    private int looks;

    private Violation violation;

    /** @param traced whether to keep what {@link #trace} is told */
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

    /** The time now, without moving it. */
    public long nowNs() {
        return nowNs;
    }

    /** As {@link System#nanoTime}: each look is a nanosecond after the last, so that no two instants are equal. */
    long tick() {
        if (++looks > MOST_LOOKS) {
            throw new IllegalStateException("a thread goes round in circles");
        }
        return ++nowNs;
    }

    /** A number from 0 to {@code bound} exclusively. */
    public int random(int bound) {
        return random.nextInt(bound);
    }

    public boolean chance(int percent) {
        return percent > 0 && random.nextInt(100) < percent;
    }

    /** Does something after a while, on that host; null if on none. */
    public void after(long delayNs, Host host, Runnable action) {
        events.add(new Event(host, action, made++, nowNs + Math.max(0, delayNs)));
    }

    /** Lets events happen until none is left, the time is over or something is wrong. */
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

    /** An invariant is broken; the first one ends the run. */
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

    /** For the trace of a replayed run; costs nothing otherwise. */
    public void trace(Supplier<String> line) {
        if (trace != null) {
            if (trace.size() == TRACE_LINES) {
                trace.removeFirst();
            }
            trace.add("%12.3f us  %s".formatted(nowNs / 1e3, line.get()));
        }
    }

    /** The last lines of the trace. */
    public Iterable<String> traced() {
        return trace == null ? java.util.List.of() : trace;
    }

    long handled() {
        return handled;
    }

    /** Equal for equal runs. */
    long digest() {
        return digest;
    }
}
