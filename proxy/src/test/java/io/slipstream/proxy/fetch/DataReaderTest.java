// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.slipstream.link.memory.AnyMemory;
import io.slipstream.link.memory.ReadMemory;
import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.proxy.buffer.OutboundBudget;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** The budget of a reader. {@code FetchByRdmaTest} reads. */
class DataReaderTest {
    private static final int BUDGET = 1 << 20;

    private final OutboundBudget budget = new OutboundBudget(BUDGET, new MeterRegistry(Meter.values()));
    private final DataReader reader = new DataReader(budget);
    private final ReadPlan plan = new ReadPlan();

    /** Memory of which nothing is free. */
    private static class NoMemory implements ReadMemory {
        @Override
        public int localKey() {
            return 0;
        }

        @Override
        public ByteBuf take(int sizeBytes) {
            return null;
        }

        @Override
        public ByteBuffer bytesOf(ByteBuf taken) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int mostBytes() {
            return 0;
        }

        @Override
        public boolean hasSpare(int sizeBytes) {
            return false;
        }

        @Override
        public boolean isScarce() {
            return true;
        }
    }

    private boolean begin(ReadMemory memory) {
        plan.reset(1);
        plan.entries[0].lengthBytes = BUDGET;
        plan.totalBytes = BUDGET;
        return reader.begin(memory, plan, 1, 0);
    }

    private void assertThatNothingIsTaken() {
        assertThat(budget.hasSpare(BUDGET / 2)).isTrue();
        assertThat(budget.hasSpare(BUDGET / 2 + 1)).isFalse();
    }

    @Test
    void shouldTakeNothingFromTheBudgetIfNoMemoryIsFree() {
        assertThat(begin(new NoMemory())).isFalse();
        assertThatNothingIsTaken();
    }

    @Test
    void shouldTakeNothingFromTheBudgetIfTheMemoryThrows() {
        assertThatThrownBy(() -> begin(new NoMemory() {
                    @Override
                    public ByteBuf take(int sizeBytes) {
                        throw new OutOfMemoryError("as the test wants it");
                    }
                }))
                .isInstanceOf(OutOfMemoryError.class);
        assertThatNothingIsTaken();
    }

    @Test
    void shouldGiveItsShareBackOnce() {
        assertThat(begin(new AnyMemory(UnpooledByteBufAllocator.DEFAULT, 0))).isTrue();
        assertThat(budget.hasSpare(1)).isFalse();
        reader.release();
        assertThatNothingIsTaken();
        reader.release();
        assertThatNothingIsTaken();
    }
}
