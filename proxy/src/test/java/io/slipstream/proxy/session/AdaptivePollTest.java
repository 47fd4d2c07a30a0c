// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.SelectStrategy;
import io.slipstream.rdma.AdaptiveSpin;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AdaptivePollTest {
    private final AdaptivePoll poll = poll(TimeUnit.SECONDS.toNanos(60));

    private static AdaptivePoll poll(long spinNs) {
        return new AdaptivePoll(new AdaptiveSpin(spinNs, System::nanoTime, Thread::yield));
    }

    @Test
    void shouldLookUntilASocketIsReady() throws Exception {
        assertThat(poll.calculateStrategy(() -> 0, false)).isZero();
        assertThat(poll.calculateStrategy(() -> 3, false)).isEqualTo(3);
    }

    @Test
    void shouldLookAgainAfterASuccess() throws Exception {
        long[] nowNs = {0};
        AdaptivePoll timed = new AdaptivePoll(new AdaptiveSpin(10, () -> nowNs[0], () -> {}));
        assertThat(timed.calculateStrategy(() -> 3, false)).isEqualTo(3);
        nowNs[0] = 11;
        assertThat(timed.calculateStrategy(() -> 3, false))
                .as("a spin of its own")
                .isEqualTo(3);
    }

    @Test
    void shouldNotKeepTasksWaiting() throws Exception {
        AdaptivePoll never = poll(0);
        assertThat(never.calculateStrategy(() -> 0, true)).isZero();
        assertThat(poll.calculateStrategy(() -> 0, true)).isZero();
    }

    @Test
    void shouldSleepAtOnceIfSoConfigured() throws Exception {
        AdaptivePoll never = poll(0);
        assertThat(never.calculateStrategy(() -> 3, false)).isEqualTo(SelectStrategy.SELECT);
    }
}
