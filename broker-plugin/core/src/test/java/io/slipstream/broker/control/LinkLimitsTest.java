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

    @Test
    void shouldFillAThreadBeforeTheNextOnFewProcessors() {
        LinkLimits limits = new LinkLimits(
                PluginConfig.of(Map.of("slipstream.max.links", "64", "slipstream.handler.threads", "2")));

        assertThat(limits.nextThread(new int[] {47, 0}, 3)).isZero();
        assertThat(limits.nextThread(new int[] {48, 0}, 3)).isOne();
        assertThat(limits.nextThread(new int[] {47, 1}, 3)).isZero();
        assertThat(limits.nextThread(new int[] {1, 0}, 4)).isOne();
        assertThat(limits.nextThread(new int[] {1, 1}, 4)).isZero();
    }
}
