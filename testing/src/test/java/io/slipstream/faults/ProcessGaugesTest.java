// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProcessGaugesTest {
    @Test
    void shouldFailTheArmAndNotTheCampaignIfAProcessHasEnded() throws Exception {
        assertThat(ProcessGauges.entries(ProcessHandle.current().pid(), "task")).isPositive();
        Process ended = new ProcessBuilder("true").start();
        assertThat(ended.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> ProcessGauges.entries(ended.pid(), "task"))
                .isInstanceOf(FaultFailure.class)
                .hasMessageContaining("cannot count task of process " + ended.pid());
    }
}
