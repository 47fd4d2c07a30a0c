// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.metrics.Label;
import io.slipstream.metrics.Meter;
import io.slipstream.proxy.spi.FallbackReason;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class DisconnectLabelsTest {
    @Test
    void shouldNameEveryCauseInTheCatalogue() {
        assertThat(Meter.DISCONNECTS.labels().get(0).values())
                .isEqualTo(Arrays.stream(DisconnectCause.values())
                        .map(Label::valueOf)
                        .toList());
    }

    @Test
    void shouldNameEveryFallback() {
        assertThat(Meter.FALLBACKS.labels().get(0).values())
                .isEqualTo(Arrays.stream(FallbackReason.values())
                        .map(Label::valueOf)
                        .toList());
    }
}
