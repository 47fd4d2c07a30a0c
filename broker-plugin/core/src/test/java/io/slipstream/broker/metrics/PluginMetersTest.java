// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.slipstream.metrics.MeterRegistry;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PluginMetersTest {
    private static final int TIMES = 500_000;
    private final PluginMeters meters = new PluginMeters();

    @Test
    void shouldCountWithoutAllocating() {
        record(TIMES / 10);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        record(TIMES);
        long allocatedBytes = threads.getCurrentThreadAllocatedBytes() - before;

        // The reading may allocate a little. One object for each request would be megabytes.
        assertThat(allocatedBytes).isLessThan(TIMES / 10);
    }

    private void record(int times) {
        for (int i = 0; i < times; i++) {
            meters.increment(PluginMeter.REQUESTS_LANDED);
            meters.add(PluginMeter.REQUEST_BYTES_LANDED, i);
            meters.commits.recordNs(i);
            meters.fenced(true);
        }
    }

    @Test
    void shouldDeriveWhatFollowsFromCounters() {
        meters.add(PluginMeter.SESSIONS_BOUND, 5);
        meters.add(PluginMeter.SESSIONS_ENDED, 2);
        assertThat(meters.get(PluginMeter.SESSIONS_OPEN)).isEqualTo(3);
    }

    @Test
    void shouldGiveTheBrokersRegistryEverySeriesOnce() {
        List<String> shown = new ArrayList<>();
        MeterRegistry.Registration registration = meters.showIn(new BrokerGauges() {
            @Override
            public void add(BrokerGauges.Gauge gauge) {
                shown.add(gauge.name() + gauge.tags());
            }

            @Override
            public void remove(BrokerGauges.Gauge gauge) {
                shown.remove(gauge.name() + gauge.tags());
            }
        });
        assertThat(shown).doesNotHaveDuplicates().contains("RequestsLanded{}", "CommitLatencyP99Us{}", "Slots{}");
        assertThat(meters.snapshot()).containsKey("REQUESTS_LANDED").doesNotContainKey("SLOTS");
        registration.close();
        assertThat(shown).isEmpty();
    }
}
