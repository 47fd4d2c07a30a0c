// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final AtomicLong nowNs = new AtomicLong(77);
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final Progress progress = new Progress(
            List.of("produce", "fetch"), new long[] {60_000, 120_000}, nowNs::get, new PrintStream(printed, true));

    @Test
    void shouldBelieveTheEstimatesAtFirst() {
        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(50));

        progress.say(0.1, "warm");

        assertThat(progress.leftMs()).isEqualTo(174_000);
        assertThat(printed.toString(StandardCharsets.UTF_8)).startsWith("[1/2 produce, 3 min left] warm");
    }

    @Test
    void shouldCorrectThemByWhatHasPassed() {
        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(120));

        progress.begin(1);

        assertThat(progress.leftMs()).isEqualTo(240_000);
    }

    @Test
    void shouldNeverGoBackNorBeyondTheEnd() {
        progress.begin(1);
        progress.say(1.5, "late");
        progress.say(0.2, "again");

        assertThat(progress.leftMs()).isZero();
    }
}
