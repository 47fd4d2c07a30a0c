// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AdaptiveSpinTest {
    private static final long MOST_NS = 50_000;
    private static final long LOOK_NS = 500;

    private long nowNs = Long.MAX_VALUE - 30_000;
    private int looks;
    private int yields;

    private final AdaptiveSpin spin = new AdaptiveSpin(MOST_NS, () -> nowNs, () -> yields++);

    /** Looks until that finds the event, or the thread should sleep. Returns whether it has found the event. */
    private boolean spin(long readyInNs) {
        long readyAtNs = nowNs + readyInNs;
        looks = 0;
        while (spin.mayLook()) {
            looks++;
            nowNs += LOOK_NS;
            if (spin.looked(nowNs - readyAtNs >= 0 ? 3 : 0) == 3) {
                return true;
            }
        }
        return false;
    }

    private void spinInVain(int times) {
        for (int i = 0; i < times; i++) {
            assertThat(spin(MOST_NS * 10)).isFalse();
        }
    }

    @Test
    void shouldFindWhatComesSoonWithoutSleeping() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(spin(MOST_NS - 2 * LOOK_NS)).isTrue();
        }
    }

    @Test
    void shouldSleepAfterTheBound() {
        assertThat(spin(MOST_NS * 10)).isFalse();
        assertThat(looks * LOOK_NS).isBetween(MOST_NS, MOST_NS + 2 * LOOK_NS);
    }

    @Test
    void shouldStopLookingWhereThatDoesNotPay() {
        spinInVain(AdaptiveSpin.MOST_IN_VAIN);
        for (int round = 0; round < 3; round++) {
            int spent = 0;
            for (int i = 0; i < AdaptiveSpin.REST; i++) {
                spinInVain(1);
                spent += looks;
            }
            assertThat(spent).as("looks").isZero();
            spinInVain(1);
            assertThat(looks).as("one more try").isPositive();
        }
    }

    @Test
    void shouldStopLookingWhereItSeldomPays() {
        int tries = 0;
        for (int i = 0; i < 1_000; i++) {
            spin(i % 4 == 0 ? MOST_NS / 2 : MOST_NS * 10);
            tries += looks > 0 ? 1 : 0;
        }
        assertThat(tries).isLessThan(50);
    }

    @Test
    void shouldLookAgainOnceThatPays() {
        spinInVain(AdaptiveSpin.MOST_IN_VAIN + AdaptiveSpin.REST);
        for (int i = 0; i < 100; i++) {
            assertThat(spin(MOST_NS / 2)).isTrue();
        }
        spinInVain(1);
        assertThat(spin(MOST_NS / 2)).as("after one in vain").isTrue();
    }

    @Test
    void shouldLetOtherThreadsRunBetweenTwoLooks() {
        assertThat(spin(1)).isTrue();
        assertThat(yields).as("yields before the first look").isZero();
        spinInVain(1);
        assertThat(yields).isEqualTo(looks);
    }

    @Test
    void shouldSleepAtOnceWithoutALimit() {
        assertThat(new AdaptiveSpin(0, () -> nowNs, () -> yields++).mayLook()).isFalse();
    }
}
