// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.link.settings.ControlPorts;
import io.slipstream.link.settings.LinkSettings;
import io.slipstream.link.settings.TransportSettings;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RetryPauseTest {
    private final LinkSettings settings =
            LinkSettings.of(TransportSettings.DEFAULT, Path.of("unused"), ControlPorts.NONE, 1);
    private final RetryPause pause = new RetryPause(settings);

    @Test
    void shouldGrowToTheLongestPauseAndBeginAgain() {
        for (int round = 0; round < 2; round++) {
            long boundNs = settings.retryMinNs();
            for (int attempt = 0; attempt < 10; attempt++) {
                assertThat(pause.nextNs()).isBetween(boundNs / 2, boundNs);
                boundNs = Math.min(settings.retryMaxNs(), 2 * boundNs);
            }
            pause.reset();
        }
    }

    @Test
    void shouldSpreadTheAttemptsOfManyProxies() {
        Set<Long> pauses = new HashSet<>();
        for (int proxy = 0; proxy < 100; proxy++) {
            pauses.add(new RetryPause(settings).nextNs());
        }

        assertThat(pauses).hasSizeGreaterThan(90);
    }
}
