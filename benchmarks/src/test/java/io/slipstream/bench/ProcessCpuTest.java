// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class ProcessCpuTest {
    private static final int PAUSES = 50;

    @Test
    void shouldCountATurnAfterEachPause() {
        ProcessCpu cpu = ProcessCpu.ofThisProcess();
        long beforeNs = cpu.readNs();
        long turnsBefore = cpu.turns();
        for (int i = 0; i < PAUSES; i++) {
            LockSupport.parkNanos(500_000);
        }
        long usedNs = cpu.readNs() - beforeNs;

        assertThat(cpu.turns() - turnsBefore).isGreaterThanOrEqualTo(PAUSES);
        assertThat(usedNs).isPositive();
    }

    @Test
    void shouldCountNothingOfAProcessThatHasEnded() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        ProcessCpu cpu = ProcessCpu.of(ended.pid());

        assertThat(cpu.readNs()).isZero();
        assertThat(cpu.turns()).isZero();
    }
}
