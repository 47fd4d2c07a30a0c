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

    /** As the broker's log: a clean start afterwards would not know that recovery had cut it. */
    public static final class Loaded {
        private Object file;

        Loaded(Object file) {
            this.file = file;
        }

        public Loaded activeSegment() {
            return this;
        }

        public Object log() {
            return file;
        }

        public Object roll() {
            file = new Object();
            return this;
        }
    }

    @Test
    void shouldRollALogThatRecoveryCutWhenItIsLoaded() {
        LandingEvents.recovered(file, 17);
        Loaded cut = new Loaded(file);
        Object sound = new Object();
        Loaded other = new Loaded(sound);

        LandingEvents.loaded(cut);
        LandingEvents.loaded(other);
        LandingEvents.loaded(new Object());

        assertThat(cut.log()).isNotSameAs(file);
        assertThat(other.log()).isSameAs(sound);
        assertThat(LandingEvents.willRoll(file)).isFalse();
    }

    @Test
    void shouldLeaveOtherRollsToTheBroker() {
        LandingEvents.recovered(file, 0);

        assertThat(LandingEvents.willRoll(file)).isFalse();
        assertThat(LandingEvents.shouldRoll(file, false)).isFalse();
        assertThat(LandingEvents.shouldRoll(file, true)).isTrue();
    }
}
