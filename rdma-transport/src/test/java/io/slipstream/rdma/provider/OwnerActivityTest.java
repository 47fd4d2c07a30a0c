// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.provider;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What one thread can see. {@code FencesTest} races two. */
class OwnerActivityTest {
    private final OwnerActivity activity = new OwnerActivity();

    @Test
    void shouldBePastOnlyWhenTheOperationHasEnded() {
        assertThat(activity.mark().isPast()).as("no operation").isTrue();
        activity.enter();
        OwnerActivity.Mark within = activity.mark();
        assertThat(within.isPast()).isFalse();
        activity.leave();
        assertThat(within.isPast()).isTrue();
        activity.enter();
        assertThat(within.isPast()).as("a later operation").isTrue();
        assertThat(activity.mark().isPast()).isFalse();
    }
}
