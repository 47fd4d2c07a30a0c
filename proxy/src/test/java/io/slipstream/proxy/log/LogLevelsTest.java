// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(60)
class LogLevelsTest {
    private static final String LOGGER = "io.slipstream.proxy.log.test";

    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    private final LogLevels levels = new LogLevels(timers);

    @AfterEach
    void stop() {
        levels.set(LOGGER, "DEFAULT", "");
        timers.shutdownNow();
    }

    @Test
    void shouldSetAndSetBack() {
        assertThat(LoggerFactory.getLogger(LOGGER).isTraceEnabled()).isFalse();
        levels.set(LOGGER, "trace", "");
        assertThat(LoggerFactory.getLogger(LOGGER).isTraceEnabled()).isTrue();
        assertThat(levels.describe()).contains(LOGGER + " TRACE\n");
        levels.set(LOGGER, "DEFAULT", "");
        assertThat(LoggerFactory.getLogger(LOGGER).isTraceEnabled()).isFalse();
        assertThat(levels.describe()).doesNotContain(LOGGER);
    }

    @Test
    void shouldSetForAWhileOnly() {
        levels.set(LOGGER, "DEBUG", "10m");
        levels.set(LOGGER, "TRACE", "1s");
        assertThat(levels.describe()).contains(LOGGER + " TRACE (temporarily)");
        Awaitility.await()
                .until(() -> !LoggerFactory.getLogger(LOGGER).isDebugEnabled()
                        && !levels.describe().contains(LOGGER));
    }

    @Test
    void shouldRefuseWhatIsNotKnown() {
        refuses("level is one of", LOGGER, "LOUD", "");
        refuses("unknown logger", "com.example.Nothing", "DEBUG", "");
        refuses("unknown logger", "io.slipstream..proxy", "DEBUG", "");
        refuses("for is a duration", LOGGER, "DEBUG", "10");
        refuses("for is a duration", LOGGER, "DEBUG", "25h");
        refuses("for is a duration", LOGGER, "DEBUG", "0s");
    }

    @Test
    void shouldBoundHowManyAreSet() {
        for (int i = 0; i < LogLevels.MOST_SET; i++) {
            levels.set(LOGGER + ".n" + i, "WARN", "");
        }
        refuses("64 loggers are set", LOGGER + ".more", "WARN", "");
        for (int i = 0; i < LogLevels.MOST_SET; i++) {
            levels.set(LOGGER + ".n" + i, "DEFAULT", "");
        }
        levels.set(LOGGER, "WARN", "");
    }

    private void refuses(String why, String logger, String level, String duration) {
        assertThatThrownBy(() -> levels.set(logger, level, duration))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }
}
