package io.slipstream.proxy.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.metrics.Meter;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class DisconnectLabelsTest {
    @Test
    void shouldNameEveryCauseInTheCatalogue() {
        assertThat(Meter.DISCONNECTS.labels().get(0).values())
                .isEqualTo(Arrays.stream(DisconnectCause.values())
                        .map(DisconnectCause::label)
                        .toList());
    }
}
