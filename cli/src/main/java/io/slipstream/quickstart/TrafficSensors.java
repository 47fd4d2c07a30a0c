// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

/**
 * A reproducible stream of traffic events: event n depends only on the seed and n. Each road has one partition.
 * Immutable.
 */
final class TrafficSensors {
    static final int ROADS = 4;
    private static final int LANES = 3;
    private static final long START_MS = 1_767_225_600_000L; // 2026-01-01T00:00:00Z
    private static final int INTERVAL_MS = 1_000;
    private static final int MAX_CARS = 40;
    private static final int MIN_SPEED_KMH = 30;
    private static final int SPEED_SPREAD_KMH = 100;
    private static final String[] NAMES = {"A3", "A7", "A9", "B27"};

    private final long seed;

    TrafficSensors(long seed) {
        this.seed = seed;
    }

    TrafficEvent event(long number) {
        long random = mix(seed + number);
        int cars = (int) Long.remainderUnsigned(random, MAX_CARS);
        int speed = cars == 0 ? 0 : MIN_SPEED_KMH + (int) Long.remainderUnsigned(random >>> 20, SPEED_SPREAD_KMH);
        int lane = 1 + (int) (number / ROADS % LANES);
        return new TrafficEvent(
                number, NAMES[partition(number)], lane, cars, speed, START_MS + number / (ROADS * LANES) * INTERVAL_MS);
    }

    static int partition(long number) {
        return (int) (number % ROADS);
    }

    /** The finalizer of SplitMix64. */
    private static long mix(long value) {
        long z = value * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
