// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.metrics.Label;
import io.slipstream.metrics.Meter;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The catalogue does not depend on these enums, but names their constants. */
class MeterLabelsTest {
    private static List<String> names(Enum<?>[] constants, Enum<?>... without) {
        return Arrays.stream(constants)
                .filter(constant -> !List.of(without).contains(constant))
                .map(Label::valueOf)
                .toList();
    }

    private static List<String> values(Meter meter, int label) {
        return meter.labels().get(label).values();
    }

    @Test
    void shouldNameWhatIsCounted() {
        assertThat(values(Meter.LINK_FAILURES, 0)).isEqualTo(names(LinkFailure.values()));
        assertThat(values(Meter.TRANSPORT_OPERATIONS, 0)).isEqualTo(names(Opcode.values()));
        assertThat(values(Meter.TRANSPORT_ERRORS, 0))
                .isEqualTo(names(CompletionStatus.values(), CompletionStatus.SUCCESS));
        assertThat(values(Meter.GRANTS_GRANTED, 0)).isEqualTo(names(GrantKind.values()));
        assertThat(values(Meter.GRANTS_REFUSED, 1)).isEqualTo(names(ControlError.values(), ControlError.NONE));
    }
}
