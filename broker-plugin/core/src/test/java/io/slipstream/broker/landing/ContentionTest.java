package io.slipstream.broker.landing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ContentionTest {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private long nowNs = 5;
    private final Contention contention = new Contention(() -> nowNs);

    @Test
    void shouldPauseTwiceAsLongEachTimeUpToFiveMinutes() {
        assertThat(contention.leftNs("t", 0)).isZero();
        for (long seconds : new long[] {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300}) {
            contention.observed("t", 0);
            assertThat(contention.leftNs("t", 0)).isEqualTo(seconds * SECOND_NS);
            nowNs += seconds * SECOND_NS;
            assertThat(contention.leftNs("t", 0)).isZero();
        }
        assertThat(contention.leftNs("t", 1)).as("another partition").isZero();
    }

    @Test
    void shouldForgetAfterTenQuietMinutes() {
        contention.observed("t", 0);
        nowNs += SECOND_NS;
        contention.observed("t", 0);
        nowNs += 2 * SECOND_NS + TimeUnit.MINUTES.toNanos(10) + 1;

        contention.observed("t", 0);

        assertThat(contention.leftNs("t", 0)).isEqualTo(SECOND_NS);
    }
}
