// SPDX-License-Identifier: Apache-2.0
package io.slipstream.leaks;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Without these, a build without leak reports would prove nothing. */
class LeakCheckTest {
    @Test
    void shouldReportAPlantedLeak() {
        plant();
        Awaitility.await()
                .until(() -> LeakCheck.collect().stream().anyMatch(report -> report.contains("was not released")));
    }

    @Test
    void shouldNotReportWhatWasReleased() {
        LeakCheck.collect();
        ByteBufAllocator.DEFAULT.directBuffer(64).writeLong(1).release();
        assertThat(LeakCheck.collect()).isEmpty();
    }

    private static void plant() {
        ByteBufAllocator.DEFAULT.directBuffer(64).writeLong(1);
    }
}
