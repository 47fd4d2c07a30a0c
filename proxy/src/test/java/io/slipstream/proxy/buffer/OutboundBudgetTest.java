// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.buffer;

import static io.slipstream.proxy.buffer.OutboundBudget.Kind.RECEIVED;
import static io.slipstream.proxy.buffer.OutboundBudget.Kind.UNSENT;
import static io.slipstream.proxy.buffer.OutboundBudget.SMALL_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Takes and waits of responses. {@code DataReaderTest} has the READs. */
class OutboundBudgetTest {
    private static final int LIMIT = 20 * SMALL_BYTES;

    private final MeterRegistry registry = new MeterRegistry(Meter.values());
    private final OutboundBudget budget = new OutboundBudget(LIMIT, registry);
    private final List<Integer> served = new ArrayList<>();

    private OutboundBudget.Waiter waiter(int sizeBytes) {
        return new OutboundBudget.Waiter() {
            @Override
            public int sizeBytes() {
                return sizeBytes;
            }

            @Override
            public void onTaken() {
                served.add(sizeBytes);
            }
        };
    }

    private long waits() {
        return registry.value(Meter.OUTBOUND_WAITS);
    }

    @Test
    void shouldServeWaitersInTheirTurn() {
        budget.add(UNSENT, LIMIT);
        assertThat(budget.takeOrAwait(waiter(8 * SMALL_BYTES))).isFalse();
        assertThat(budget.takeOrAwait(waiter(2 * SMALL_BYTES))).isFalse();
        assertThat(waits()).isEqualTo(2);

        budget.giveBack(UNSENT, 4 * SMALL_BYTES);
        assertThat(served).as("the second must not overtake").isEmpty();
        budget.giveBack(UNSENT, 4 * SMALL_BYTES);
        assertThat(served).containsExactly(8 * SMALL_BYTES);
        budget.giveBack(UNSENT, 2 * SMALL_BYTES);
        assertThat(served).containsExactly(8 * SMALL_BYTES, 2 * SMALL_BYTES);
        assertThat(waits()).isZero();
        assertThat(registry.value(Meter.OUTBOUND_BYTES, "received")).isEqualTo(10 * SMALL_BYTES);
        assertThat(registry.value(Meter.OUTBOUND_BYTES, "unsent")).isEqualTo(10 * SMALL_BYTES);
    }

    @Test
    void shouldServeTheNextIfAWaiterLeaves() {
        budget.add(UNSENT, LIMIT - 4 * SMALL_BYTES);
        OutboundBudget.Waiter first = waiter(8 * SMALL_BYTES);
        assertThat(budget.takeOrAwait(first)).isFalse();
        assertThat(budget.takeOrAwait(waiter(2 * SMALL_BYTES)))
                .as("behind the first")
                .isFalse();

        assertThat(budget.abandon(first)).isTrue();
        assertThat(served).containsExactly(2 * SMALL_BYTES);
        assertThat(budget.abandon(first)).isFalse();
        assertThat(waits()).isZero();
    }

    @Test
    void shouldNeverRefuseSmallAnswers() {
        budget.add(UNSENT, LIMIT);
        assertThat(budget.takeOrAwait(waiter(SMALL_BYTES))).isTrue();
        assertThat(budget.takeOrAwait(waiter(SMALL_BYTES + 1))).isFalse();
    }

    @Test
    void shouldTakeWhatIsLargerThanTheLimitIfHalfIsFree() {
        budget.add(UNSENT, LIMIT / 2 + 1);
        assertThat(budget.takeOrAwait(waiter(2 * LIMIT))).isFalse();
        budget.giveBack(UNSENT, 1);
        assertThat(served).containsExactly(2 * LIMIT);
    }

    @Test
    void shouldShareWhatIsLeft() {
        assertThat(budget.shareBytes()).isEqualTo(LIMIT / 2);
        budget.add(RECEIVED, LIMIT / 2);
        assertThat(budget.shareBytes()).isEqualTo(LIMIT / 4);
        assertThat(budget.takeOrAwait(waiter(LIMIT))).isFalse();
        assertThat(budget.shareBytes()).as("what waits is not left").isEqualTo(SMALL_BYTES);
        assertThat(new OutboundBudget(Long.MAX_VALUE / 2, registry).shareBytes())
                .isEqualTo(Integer.MAX_VALUE);
    }
}
