// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.containers.workload.ShareMeter;
import io.slipstream.containers.workload.Workload;
import io.slipstream.process.Patience;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A broker restarts with a clock hours ahead of the others. Then the clock jumps to minutes behind. Other brokers lead
 * its partitions since the restart; it follows and coordinates groups.
 */
@ExtendWith(SharedCluster.class)
@Tag("thorough")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ClockSkewIT {
    private static final String BROKER = "broker-2";
    private static final String AHEAD_S = "10800";
    /**
     * At most an hour: brokers refuse records further ahead of their clock ({@code message.timestamp.after.max.ms}),
     * with or without the plugin.
     */
    private static final String BEHIND_S = "-600";

    private static final double SHARE = 0.9;
    private static final Duration RESTART_PATIENCE = Patience.ofSeconds(120);

    @BeforeAll
    static void requireCompiler() {
        if (Program.find("cc").isEmpty()) {
            throw Engine.unavailable(
                    "no C compiler for the library that changes the clock; apt-get install gcc libc6-dev");
        }
    }

    @Test
    void shouldServeByRdmaWithAWrongClock(Cluster cluster) throws Exception {
        try (Workload workload = Workload.start(cluster, "clock")) {
            ShareMeter meter = new ShareMeter(cluster, "clock skew");
            workload.awaitProgress(400, Patience.ofSeconds(60));
            meter.phase("before");

            try {
                replaceBroker(cluster, Map.of("BROKER_2_CLOCK_AHEAD_S", AHEAD_S));
                assertThat(clockAheadS(cluster)).isBetween(10_700L, 10_900L);
                meter.phase("during the restart");
                workload.awaitProgress(400, Patience.ofSeconds(60));
                assertThat(meter.phase("three hours ahead").rdmaShare()).isGreaterThan(SHARE);

                cluster.exec(BROKER, "/opt/clock/set-clock", BEHIND_S);
                workload.awaitProgress(400, Patience.ofSeconds(60));
                assertThat(clockAheadS(cluster)).isBetween(-700L, -500L);
                assertThat(meter.phase("ten minutes behind").rdmaShare()).isGreaterThan(SHARE);
            } finally {
                replaceBroker(cluster, Map.of());
            }
            meter.phase("during the restart with the machine's clock");
            workload.awaitProgress(600, Patience.ofSeconds(60));
            assertThat(meter.phase("afterwards").rdmaShare()).isGreaterThan(SHARE);
            workload.stopAndJudge();
        }
    }

    private static void replaceBroker(Cluster cluster, Map<String, String> variables) {
        cluster.stop(BROKER);
        cluster.replace(BROKER, variables);
        cluster.state().awaitBrokers(Cluster.BROKERS.size(), RESTART_PATIENCE);
        cluster.state().awaitInSync(RESTART_PATIENCE);
    }

    /** Runs a process with the broker's clock library and offset. */
    private static long clockAheadS(Cluster cluster) {
        return Long.parseLong(cluster.exec(
                                BROKER,
                                "bash",
                                "-c",
                                "grep -q wall-clock.so /proc/1/maps && LD_PRELOAD=/opt/clock/wall-clock.so WALL_CLOCK_OFFSET=/tmp/wall-clock.offset python3 -c 'import time; print(int(time.time()))'")
                        .strip())
                - System.currentTimeMillis() / 1_000;
    }
}
