// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.Label;
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
}
