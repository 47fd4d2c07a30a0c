// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import java.util.Arrays;

/**
 * Compares received events with sent ones. Every event must arrive once, unaltered and in order within its partition.
 * Confined to one thread.
 */
final class DeliveryCheck {
    private final TrafficSensors sensors;
    private final long expected;
    private final long[] nextNumber = new long[TrafficSensors.ROADS];
    private long received;
    private long lost;
    private long outOfOrder;
    private long altered;

    /** @param expected number of events sent, numbered 0 … expected - 1 */
    DeliveryCheck(TrafficSensors sensors, long expected) {
        this.sensors = sensors;
        this.expected = expected;
        Arrays.setAll(nextNumber, partition -> partition);
    }

    /** Checks the next record of a partition. Returns its event number, or -1 if it is not an event. */
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

    /** Returns whether the last event of each partition has arrived. */
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

    /** Returns the number of lost, duplicated, reordered and altered events. */
    long mismatches() {
        long missing = lost;
        for (long next : nextNumber) {
            missing += Math.max(0, (expected - next + TrafficSensors.ROADS - 1) / TrafficSensors.ROADS);
        }
        return missing + outOfOrder + altered;
    }
}
