// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.SelectStrategy;
import org.junit.jupiter.api.Test;

class AdaptivePollTest {
    private static final long MOST_NS = 50_000;
    private static final long LOOK_NS = 500;

    private long nowNs = Long.MAX_VALUE - 30_000;
    private int looks;
    /** Events are available from then on. */
    private long readyAtNs;

    private final AdaptivePoll poll = new AdaptivePoll(MOST_NS, () -> nowNs);

    /** Calls the strategy as an event loop without tasks does, until it should sleep or finds an event. */
    private int untilSleepOrEvent(long readyInNs) throws Exception {
        readyAtNs = nowNs + readyInNs;
        looks = 0;
        int strategy;
        do {
            strategy = poll.calculateStrategy(this::look, false);
        } while (strategy == 0);
        return strategy;
    }

    private int look() {
        looks++;
        nowNs += LOOK_NS;
        return nowNs - readyAtNs >= 0 ? 3 : 0;
    }

    private void sleepOften(int times) throws Exception {
        for (int i = 0; i < times; i++) {
            assertThat(untilSleepOrEvent(MOST_NS * 10)).isEqualTo(SelectStrategy.SELECT);
        }
    }

    @Test
    void shouldFindWhatComesSoonWithoutSleeping() throws Exception {
        for (int i = 0; i < 1_000; i++) {
            assertThat(untilSleepOrEvent(MOST_NS - 2 * LOOK_NS)).isEqualTo(3);
        }
    }

    @Test
    void shouldSleepAfterTheBound() throws Exception {
        assertThat(untilSleepOrEvent(MOST_NS * 10)).isEqualTo(SelectStrategy.SELECT);
        assertThat(looks * LOOK_NS).isBetween(MOST_NS, MOST_NS + 2 * LOOK_NS);
    }

    @Test
    void shouldStopLookingWhereThatDoesNotPay() throws Exception {
        sleepOften(AdaptivePoll.MOST_IN_VAIN);
        for (int round = 0; round < 3; round++) {
            int spent = 0;
            for (int i = 0; i < AdaptivePoll.REST; i++) {
                sleepOften(1);
                spent += looks;
            }
            assertThat(spent).as("looks").isZero();
            sleepOften(1);
            assertThat(looks).as("one more try").isPositive();
        }
    }

    @Test
    void shouldStopLookingWhereItSeldomPays() throws Exception {
        int tries = 0;
        for (int i = 0; i < 1_000; i++) {
            untilSleepOrEvent(i % 4 == 0 ? MOST_NS / 2 : MOST_NS * 10);
            tries += looks > 0 ? 1 : 0;
        }
        assertThat(tries).isLessThan(50);
    }

    @Test
    void shouldLookAgainOnceThatPays() throws Exception {
        sleepOften(AdaptivePoll.MOST_IN_VAIN + AdaptivePoll.REST);
        for (int i = 0; i < 100; i++) {
            assertThat(untilSleepOrEvent(MOST_NS / 2)).isEqualTo(3);
        }
        sleepOften(1);
        assertThat(untilSleepOrEvent(MOST_NS / 2)).as("after one in vain").isEqualTo(3);
    }

    @Test
    void shouldNotKeepTasksWaiting() throws Exception {
        readyAtNs = nowNs + MOST_NS;
        for (int i = 0; i < 1_000; i++) {
            assertThat(poll.calculateStrategy(() -> 0, true)).isZero();
        }
    }

    @Test
    void shouldSleepAtOnceIfSoConfigured() throws Exception {
        AdaptivePoll never = new AdaptivePoll(0, () -> nowNs);
        assertThat(never.calculateStrategy(this::look, false)).isEqualTo(SelectStrategy.SELECT);
        assertThat(looks).isZero();
    }
}
