// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The accounting of a send queue, with a device that completes what it was given, in order. */
class SendSlotsTest {
    private static final int REQUESTS = 1_000;

    /** Slots of signaled requests whose completions were not polled. */
    private final ArrayDeque<Integer> completions = new ArrayDeque<>();

    private SendSlots slots;
    private int depth;
    private int posted;

    private void post(boolean wanted) {
        assertThat(slots.next).isEqualTo(posted++ % depth);
        boolean signaled = slots.mustSignal(wanted);
        assertThat(signaled || !wanted).as("a wanted completion").isTrue();
        if (signaled) {
            completions.add(slots.next);
        }
        slots.posted(signaled);
    }

    /** Polls one completion, as the send queue does. Returns whether there was one. */
    private boolean poll() {
        Integer slot = completions.poll();
        if (slot == null) {
            return false;
        }
        while (slots.oldest != slot) {
            slots.retireOldest();
        }
        slots.retireOldest();
        return true;
    }

    private void open(int ofDepth) {
        depth = ofDepth;
        slots = new SendSlots(ofDepth);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 7, 16, 64})
    void shouldNotBeFilledForGoodByUnsignaledRequests(int ofDepth) {
        open(ofDepth);
        while (posted < REQUESTS) {
            while (slots.haveRoom(1)) {
                post(false);
            }
            assertThat(slots.outstanding).isEqualTo(depth);
            assertThat(poll()).as("a completion while the queue is full").isTrue();
            assertThat(slots.haveRoom(1)).isTrue();
        }
        assertThat(completions.size())
                .as("few completions are polled for nothing")
                .isLessThanOrEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 16, 33})
    void shouldAccountForEveryOrderOfPostsAndPolls(int ofDepth) {
        open(ofDepth);
        Random random = new Random(ofDepth);
        while (posted < REQUESTS) {
            if (slots.haveRoom(1) && random.nextInt(3) > 0) {
                post(random.nextBoolean());
            } else {
                assertThat(poll() || slots.haveRoom(1))
                        .as("a completion while the queue is full")
                        .isTrue();
            }
            assertThat(slots.outstanding).isBetween(0, depth);
        }
        while (poll()) {
            // Until the device has nothing more to report.
        }
        assertThat(slots.outstanding)
                .as("unsignaled requests after the last signaled one")
                .isLessThan(depth / 2 + 1);
    }
}
