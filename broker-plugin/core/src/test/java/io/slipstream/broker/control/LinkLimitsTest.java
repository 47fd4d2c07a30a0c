// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.config.PluginConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LinkLimitsTest {
    /** Completions of a queue of Soft-RoCE, the device with the smallest. */
    private static final int MOST_COMPLETIONS = 32_767;

    /** The provider's own requests take half as many again. A larger queue would keep the plugin inert. */
    @Test
    void shouldNeedCompletionQueuesByDefaultThatEveryDeviceHas() {
        int completions = LinkLimits.completionsPerThread(PluginConfig.of(Map.of()));

        assertThat(completions * 3 / 2).isLessThanOrEqualTo(MOST_COMPLETIONS);
    }
}
