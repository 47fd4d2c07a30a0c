package io.slipstream.broker.landing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LandedLengthsTest {
    private static final int LENGTH_OFFSET = 8;

    private final ByteBuffer window = ByteBuffer.allocateDirect(4096);
    private final long address = BufferUtil.address(window);

    @AfterEach
    void forget() {
        LandedLengths.remove(address, window.capacity());
    }

    @Test
    void shouldKnowTheLengthOfABatchThatLiesInAWindow() {
        LandedLengths.add(address, window.capacity());

        assertThat(LandedLengths.ofBatch(window.slice(100, 300), 0)).isEqualTo(300);
        assertThat(LandedLengths.ofBatch(window.duplicate().limit(1000), 900)).isEqualTo(100);
    }

    @Test
    void shouldBelieveTheLengthThatIsThere() {
        LandedLengths.add(address, window.capacity());
        ByteBuffer committed = window.slice(100, 300);
        committed.putInt(LENGTH_OFFSET, 288);

        assertThat(LandedLengths.ofBatch(committed, 0)).isZero();
    }

    /** A client's own batch with a length of zero is the broker's to refuse, wherever it lies. */
    @Test
    void shouldKnowNothingOfOtherMemory() {
        LandedLengths.add(address, window.capacity() - 1);

        assertThat(LandedLengths.ofBatch(ByteBuffer.allocate(300), 0)).isZero();
        assertThat(LandedLengths.ofBatch(ByteBuffer.allocateDirect(300), 0)).isZero();
        assertThat(LandedLengths.ofBatch(window.slice(4000, 96), 0))
                .as("one byte too long")
                .isZero();
    }

    @Test
    void shouldForgetAWindow() {
        LandedLengths.add(address, window.capacity());
        LandedLengths.remove(address, window.capacity());

        assertThat(LandedLengths.ofBatch(window.slice(100, 300), 0)).isZero();
    }
}
