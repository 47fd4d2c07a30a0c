// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class DeliveryCheckTest {
    private static final int EVENTS = 40;
    private final TrafficSensors sensors = new TrafficSensors(7);
    private final DeliveryCheck check = new DeliveryCheck(sensors, EVENTS);

    @Test
    void shouldAcceptEveryEventOnceInOrder() {
        deliver(0, EVENTS);

        assertThat(check.isComplete()).isTrue();
        assertThat(check.received()).isEqualTo(EVENTS);
        assertThat(check.mismatches()).isZero();
    }

    @Test
    void shouldCountLostEventsInTheMiddleAndAtTheEnd() {
        deliver(0, 8);
        deliver(12, EVENTS - 2);

        assertThat(check.isComplete()).isFalse();
        assertThat(check.mismatches()).isEqualTo(4 + 2);
    }

    @Test
    void shouldCountADuplicate() {
        deliver(0, EVENTS);
        deliver(5, 6);

        assertThat(check.mismatches()).isEqualTo(1);
    }

    @Test
    void shouldCountReordering() {
        deliver(0, 8);
        deliver(12, 16);
        deliver(8, 12);
        deliver(16, EVENTS);

        assertThat(check.mismatches()).isPositive();
    }

    @Test
    void shouldCountAnAlteredByte() {
        byte[] altered = sensors.event(0).toJson();
        altered[altered.length - 2] ^= 1;
        check.accept(0, altered);
        deliver(1, EVENTS);

        assertThat(check.mismatches()).isEqualTo(1);
    }

    @Test
    void shouldCountWhatIsNoEvent() {
        deliver(0, EVENTS);
        check.accept(0, "noise".getBytes(StandardCharsets.UTF_8));
        check.accept(0, null);

        assertThat(check.mismatches()).isEqualTo(2);
    }

    @Test
    void shouldCountAnEventInAnotherPartition() {
        check.accept(1, sensors.event(0).toJson());
        deliver(1, EVENTS);

        assertThat(check.mismatches()).isEqualTo(2);
    }

    private void deliver(long from, long to) {
        for (long number = from; number < to; number++) {
            check.accept(TrafficSensors.partition(number), sensors.event(number).toJson());
        }
    }
}
