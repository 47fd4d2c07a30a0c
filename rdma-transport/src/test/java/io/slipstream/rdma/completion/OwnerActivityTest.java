// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.completion;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OwnerActivityTest {
    private static final int ROUNDS = 200_000;
    private static final int LOOKS = 30;

    private final OwnerActivity activity = new OwnerActivity();
    private final AtomicBoolean linked = new AtomicBoolean(true);
    private final AtomicBoolean freed = new AtomicBoolean();
    private boolean usedAfterFree;

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

    /** The owner looks an object up while another thread unlinks it and frees it if the owner is outside. */
    @Test
    void shouldNotBePastWhileTheOwnerUsesWhatItFoundLinked() throws Exception {
        TwoThreads.race(
                ROUNDS,
                round -> {
                    activity.enter();
                    if (linked.getOpaque()) {
                        for (int i = 0; i < LOOKS; i++) {
                            usedAfterFree |= freed.getAcquire();
                        }
                    }
                    activity.leave();
                },
                round -> {
                    linked.setOpaque(false);
                    if (activity.mark().isPast()) {
                        freed.setRelease(true);
                    }
                },
                round -> {
                    assertThat(usedAfterFree).as("round %d", round).isFalse();
                    linked.set(true);
                    freed.set(false);
                });
    }
}
