// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import java.util.Arrays;

/**
 * Compares what a consumer received with what the sensors sent: every event once, unaltered, in order within its partition. Confined to
 * one thread.
 */
final class DeliveryCheck {
    private final TrafficSensors sensors;
    private final long expected;
    private final long[] nextNumber = new long[TrafficSensors.ROADS];
    private long received;
    private long lost;
    private long outOfOrder;
    private long altered;

    /** @param expected events 0 … expected - 1 were sent */
    DeliveryCheck(TrafficSensors sensors, long expected) {
        this.sensors = sensors;
        this.expected = expected;
        Arrays.setAll(nextNumber, partition -> partition);
    }

    /** Takes the next record of a partition; returns its event number, or -1 if it is no event. */
    long accept(int partition, byte[] value) {
        received++;
        long number = TrafficEvent.numberIn(value);
        if (number < 0 || number >= expected || TrafficSensors.partition(number) != partition) {
            altered++;
            return -1;
        }
        if (!Arrays.equals(value, sensors.event(number).toJson())) {
            altered++;
        }
        if (number < nextNumber[partition]) {
            outOfOrder++; // a duplicate, or one that was overtaken and counted as lost before
        } else {
            lost += (number - nextNumber[partition]) / TrafficSensors.ROADS;
            nextNumber[partition] = number + TrafficSensors.ROADS;
        }
        return number;
    }

    /** Whether the last event of each partition has arrived. */
    boolean isComplete() {
        for (long next : nextNumber) {
            if (next < expected) {
                return false;
            }
        }
        return true;
    }

    long received() {
        return received;
    }

    /** Events that never came, came again, late or altered. */
    long mismatches() {
        long missing = lost;
        for (long next : nextNumber) {
            missing += Math.max(0, (expected - next + TrafficSensors.ROADS - 1) / TrafficSensors.ROADS);
        }
        return missing + outOfOrder + altered;
    }
}
