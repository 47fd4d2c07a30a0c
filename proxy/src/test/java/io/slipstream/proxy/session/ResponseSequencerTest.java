// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ResponseSequencerTest {
    @Test
    void shouldWriteInRequestOrderWhateverTheOrderOfCompletion() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            int limit = 1 + random.nextInt(40);
            ResponseSequencer sequencer = new ResponseSequencer(null, limit);
            List<Integer> written = new ArrayList<>();
            List<RequestSlot> open = new ArrayList<>();
            int taken = 0;
            for (int step = 0; step < 400; step++) {
                if (!sequencer.isFull() && random.nextInt(3) > 0) {
                    RequestSlot slot = sequencer.take();
                    slot.correlationId = taken++;
                    open.add(slot);
                } else if (!open.isEmpty()) {
                    open.remove(random.nextInt(open.size())).state = RequestSlot.State.DONE;
                    sequencer.drain(slot -> written.add(slot.correlationId));
                }
                assertThat(sequencer.size())
                        .as("seed %d", seed)
                        .isEqualTo(taken - written.size())
                        .isLessThanOrEqualTo(limit);
            }
            open.forEach(slot -> slot.state = RequestSlot.State.DONE);
            sequencer.drain(slot -> written.add(slot.correlationId));
            assertThat(written).as("seed %d", seed).hasSize(taken).isSorted();
            assertThat(sequencer.isEmpty()).isTrue();
        }
    }

    @Test
    void shouldRefuseMoreThanItsLimit() {
        ResponseSequencer sequencer = new ResponseSequencer(null, 3);
        for (int i = 0; i < 3; i++) {
            sequencer.take();
        }
        assertThat(sequencer.isFull()).isTrue();
        assertThatThrownBy(sequencer::take).isInstanceOf(IllegalStateException.class);
    }
}
