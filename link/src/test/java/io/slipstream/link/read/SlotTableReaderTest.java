// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.link.memory.LinkMemory;
import io.slipstream.link.memory.PlainRegion;
import io.slipstream.link.work.ScriptedQueuePair;
import io.slipstream.protocol.control.RemoteMemory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlotTableReaderTest {
    private final ScriptedQueuePair queuePair = new ScriptedQueuePair(8);
    private final SlotTableReader slots = new SlotTableReader(
            queuePair.port(),
            new LinkMemory(null, new PlainRegion(LinkMemory.WORDS_BYTES), null, null),
            new RemoteMemory(0, 1 << 20, 1),
            new RemoteMemory(0, 1 << 20, 1),
            200);
    private final List<String> woken = new ArrayList<>();

    private ParkedSlot park(String name, int slot) {
        ParkedSlot place = new ParkedSlot(() -> woken.add(name));
        slots.park(place, slot);
        return place;
    }

    @Test
    void shouldWakeAllWhoWaitForTheSlotAndNobodyElse() {
        park("one", 3);
        park("other", 3);
        park("elsewhere", 4);

        assertThat(slots.ring(3)).isTrue();
        assertThat(woken).containsExactlyInAnyOrder("one", "other");
        assertThat(slots.ring(200)).as("no such slot").isFalse();
    }

    @Test
    void shouldKeepTheOthersWhoeverLeaves() {
        ParkedSlot[] places = {park("a", 3), park("b", 3), park("c", 3), park("d", 3)};

        slots.unpark(places[1]);
        slots.unpark(places[0]);
        slots.ring(3);
        assertThat(woken).containsExactlyInAnyOrder("c", "d");

        slots.unpark(places[2]);
        slots.unpark(places[3]);
        slots.unpark(places[3]);
        woken.clear();
        slots.ring(3);
        assertThat(woken).isEmpty();
        assertThat(slots.parkedCount).isZero();
    }

    @Test
    void shouldArmEachWordOfALongSpan() {
        assertThat(slots.arm(10, 150)).isTrue();
        assertThat(queuePair.posted.stream().map(ScriptedQueuePair.Posted::remoteAddress))
                .containsExactly(10L * Long.BYTES, 74L * Long.BYTES, 138L * Long.BYTES);
    }
}
