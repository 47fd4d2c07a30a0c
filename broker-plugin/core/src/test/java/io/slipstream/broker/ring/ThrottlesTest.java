// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.session.BoundSession;
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.broker.session.SessionLifetime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ThrottlesTest {
    private final Throttles throttles = new Throttles();

    private static RingSession session(int id) {
        return new RingSession(new BoundSession(
                1,
                id,
                new ObservedConnection("connection-" + id, "", "PLAINTEXT", "User:alice", false, null),
                SessionLifetime.UNLIMITED));
    }

    @Test
    void shouldHoldASessionOnceHoweverOftenItChanges() {
        RingSession session = session(1);

        throttles.change(session, true);
        throttles.change(session, true);
        throttles.change(session, false);

        assertThat(throttles.peek()).isSameAs(session);
        assertThat(session.isThrottled()).as("one request still throttles it").isTrue();
        throttles.told(true);
        assertThat(throttles.peek()).isNull();
        assertThat(throttles.peek()).isNull();
    }

    @Test
    void shouldKeepWhatWasNotToldYet() {
        RingSession first = session(1);
        RingSession second = session(2);
        throttles.change(first, true);
        throttles.change(second, true);

        assertThat(throttles.peek()).isSameAs(throttles.peek());
        assertThat(throttles.peek()).isNotNull();
        List<RingSession> told = new ArrayList<>();
        while (throttles.peek() != null) {
            told.add(throttles.peek());
            throttles.told(true);
        }
        assertThat(told).containsExactlyInAnyOrder(first, second);
    }

    @Test
    void shouldComeBackToASessionThatChangedWhileItWasTold() {
        RingSession session = session(1);
        throttles.change(session, true);
        assertThat(throttles.peek()).isSameAs(session);

        throttles.change(session, false);
        throttles.told(true);

        assertThat(throttles.peek()).isSameAs(session);
        throttles.told(false);
        assertThat(throttles.peek()).isNull();
    }

    @Test
    @Timeout(60)
    void shouldEndWithWhatIsTrueWhoeverChangesIt() throws InterruptedException {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        System.out.println("seed " + seed);
        RingSession[] sessions = new RingSession[5];
        for (int i = 0; i < sessions.length; i++) {
            sessions[i] = session(i);
        }
        List<Thread> changers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Random random = new Random(seed + i);
            changers.add(new Thread(() -> {
                int[] open = new int[sessions.length];
                for (int j = 0; j < 100_000; j++) {
                    int which = random.nextInt(sessions.length);
                    boolean start = open[which] == 0 || random.nextBoolean();
                    open[which] += start ? 1 : -1;
                    throttles.change(sessions[which], start);
                }
            }));
        }
        changers.forEach(Thread::start);
        boolean working;
        do {
            working = changers.stream().anyMatch(Thread::isAlive);
            for (RingSession session = throttles.peek(); session != null; session = throttles.peek()) {
                throttles.told(session.isThrottled());
            }
        } while (working);

        assertThat(throttles.peek()).isNull();
        for (RingSession session : sessions) {
            assertThat(session.throttledAtProxy).isEqualTo(session.isThrottled());
        }
        for (Thread changer : changers) {
            changer.join();
        }
    }
}
