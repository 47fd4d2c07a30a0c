// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.faults.schedule.Schedule;
import io.slipstream.faults.schedule.Topology;
import io.slipstream.history.MemoryHistory;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FaultExecutionTest {
    @Test
    void shouldNotBeginBeforeClientsWork() {
        AtomicLong looks = new AtomicLong();
        try (OperationMeter meter = new OperationMeter(looks::incrementAndGet);
                FaultExecution execution =
                        new FaultExecution(null, new MemoryHistory(), meter, new Recoveries(), () -> false)) {
            assertThat(execution.run(new Schedule(1, new Topology(1, 1), false, List.of())))
                    .isEmpty();
        }
        assertThat(looks).hasValueGreaterThanOrEqualTo(100);
    }
}
