// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RefusalLogTest {
    private final AtomicLong clockNs = new AtomicLong(-5);
    private final RefusalLog refusals = new RefusalLog(clockNs::get);

    @Test
    void shouldTellTheSameOnceInTenMinutes() {
        assertThat(refusals.isToBeTold("alice")).isTrue();
        clockNs.addAndGet(TimeUnit.MINUTES.toNanos(9));
        assertThat(refusals.isToBeTold("alice")).isFalse();
        assertThat(refusals.isToBeTold("bob")).isTrue();
        clockNs.addAndGet(TimeUnit.MINUTES.toNanos(2));
        assertThat(refusals.isToBeTold("alice")).isTrue();
    }

    @Test
    void shouldTellNoMoreThanTenASecond() {
        int told = 0;
        for (int i = 0; i < 100_000; i++) {
            told += refusals.isToBeTold("client " + i) ? 1 : 0;
            clockNs.addAndGet(TimeUnit.MICROSECONDS.toNanos(100));
        }
        assertThat(told).isBetween(100, 110);
    }
}
