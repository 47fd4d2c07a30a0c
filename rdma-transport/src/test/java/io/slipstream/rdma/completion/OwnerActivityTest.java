// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.completion;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OwnerActivityTest {
    private final OwnerActivity activity = new OwnerActivity();
    private final AtomicBoolean linked = new AtomicBoolean(true);
    private boolean found;
    private boolean past;

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

    /** The owner looks an object up while another thread unlinks it and would free it if the owner is outside. */
    @Test
    void shouldNotBePastWhileTheOwnerUsesWhatItFoundLinked() throws Exception {
        TwoThreads.race(
                () -> {
                    activity.enter();
                    found = linked.getOpaque();
                },
                () -> {
                    linked.setOpaque(false);
                    past = activity.mark().isPast();
                },
                () -> {
                    assertThat(found && past).as("freed while in use").isFalse();
                    activity.leave();
                    linked.set(true);
                });
    }
}
