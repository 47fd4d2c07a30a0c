package io.slipstream.broker.landing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LandingEventsTest {
    private final Object file = new Object();

    @Test
    void shouldLeaveAFileThatRecoveryCutWithTheNextAppend() {
        LandingEvents.recovered(file, 17);
        LandingEvents.recovered(new Object(), 17);

        assertThat(LandingEvents.willRoll(file)).isTrue();
        assertThat(LandingEvents.shouldRoll(file, false)).isTrue();
        assertThat(LandingEvents.willRoll(file)).isFalse();
        assertThat(LandingEvents.shouldRoll(file, false)).isFalse();
    }

    @Test
    void shouldLeaveOtherRollsToTheBroker() {
        LandingEvents.recovered(file, 0);

        assertThat(LandingEvents.willRoll(file)).isFalse();
        assertThat(LandingEvents.shouldRoll(file, false)).isFalse();
        assertThat(LandingEvents.shouldRoll(file, true)).isTrue();
    }
}
