// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.fetch.RegisteredBytes.Outcome;
import org.junit.jupiter.api.Test;

class RegisteredBytesTest {
    private static final long PATIENCE_NS = 100;

    private final RegisteredBytes bytes = new RegisteredBytes(100, 0, PATIENCE_NS);

    @Test
    void shouldGiveOneEverythingWhileNobodyElseAsks() {
        assertThat(bytes.charge("a", 100, 0)).isEqualTo(Outcome.TAKEN);
        assertThat(bytes.chargedBytes()).isEqualTo(100);
        assertThat(bytes.charge("a", 1, 0)).isEqualTo(Outcome.HAS_ITS_PART);
        bytes.discharge("a", 100);
        assertThat(bytes.chargedBytes()).isZero();
        assertThat(bytes.charge("a", 100, 1)).isEqualTo(Outcome.TAKEN);
    }

    @Test
    void shouldKeepRoomForWhoIsEntitledToIt() {
        bytes.charge("flood", 60, 0);
        bytes.charge("flood", 40, 0);
        assertThat(bytes.charge("quiet", 30, 1)).isEqualTo(Outcome.ENTITLED);
        assertThat(bytes.isBeyondPart("flood")).isTrue();
        assertThat(bytes.isBeyondPart("quiet")).isFalse();
        bytes.discharge("flood", 60);
        assertThat(bytes.charge("flood", 20, 2)).as("the other one waits").isEqualTo(Outcome.HAS_ITS_PART);
        assertThat(bytes.charge("quiet", 30, 3)).isEqualTo(Outcome.TAKEN);
        assertThat(bytes.charge("flood", 20, 4)).as("nobody waits any more").isEqualTo(Outcome.TAKEN);
        assertThat(bytes.charge("quiet", 30, 5)).as("beyond its part").isEqualTo(Outcome.HAS_ITS_PART);
        assertThat(bytes.isBeyondPart("quiet")).isFalse();
    }

    @Test
    void shouldKeepRoomForALimitedTimeOnly() {
        bytes.charge("flood", 100, 0);
        bytes.charge("quiet", 30, 1);
        bytes.discharge("flood", 100);
        assertThat(bytes.charge("flood", 60, PATIENCE_NS + 1)).isEqualTo(Outcome.HAS_ITS_PART);
        assertThat(bytes.charge("flood", 60, PATIENCE_NS + 2)).isEqualTo(Outcome.TAKEN);
    }

    @Test
    void shouldHoldToTheBoundOfOne() {
        RegisteredBytes bounded = new RegisteredBytes(100, 40, PATIENCE_NS);
        assertThat(bounded.charge("a", 40, 0)).isEqualTo(Outcome.TAKEN);
        assertThat(bounded.charge("a", 1, 0)).isEqualTo(Outcome.BEYOND_BOUND);
        assertThat(bounded.charge("b", 40, 0)).isEqualTo(Outcome.TAKEN);
    }
}
