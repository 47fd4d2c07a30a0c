package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.harness.raw.Batches;
import java.nio.ByteBuffer;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.Test;

class FetchAnswerTest {
    private static final short NONE = 0;

    private final FetchAnswer answer = new FetchAnswer();

    @Test
    void shouldGoOnBehindTheLastWholeBatch() {
        MemoryRecords first = FetchAnswers.batch(40, 3);
        MemoryRecords second = FetchAnswers.batch(43, 1);
        MemoryRecords third = FetchAnswers.batch(44, 9);
        MemoryRecords cut = Batches.cutTo(third, third.sizeInBytes() - 1);

        answer.read(FetchAnswers.of(7, NONE, Batches.concatenated(first, second, cut)), 40);

        assertThat(answer.nextOffset()).isEqualTo(44);
        assertThat(answer.recordBytes()).isEqualTo(first.sizeInBytes() + second.sizeInBytes());
    }

    @Test
    void shouldStayWhereItIsWithoutRecords() {
        answer.read(FetchAnswers.of(7, NONE, MemoryRecords.EMPTY), 40);

        assertThat(answer.nextOffset()).isEqualTo(40);
        assertThat(answer.recordBytes()).isZero();
    }

    @Test
    void shouldReadAnAnswerInTheMiddleOfABuffer() {
        ByteBuffer bytes = FetchAnswers.of(7, NONE, FetchAnswers.batch(5, 2));
        ByteBuffer larger =
                ByteBuffer.allocate(bytes.remaining() + 10).position(6).put(bytes);

        answer.read(larger.flip().position(6), 5);

        assertThat(answer.nextOffset()).isEqualTo(7);
    }

    @Test
    void shouldRefuseBatchesThatDoNotFollow() {
        ByteBuffer gap =
                FetchAnswers.of(7, NONE, Batches.concatenated(FetchAnswers.batch(5, 2), FetchAnswers.batch(8, 1)));

        assertThatThrownBy(() -> answer.read(gap, 5)).hasMessageContaining("out of order");
        assertThatThrownBy(() -> answer.read(FetchAnswers.of(7, NONE, FetchAnswers.batch(5, 2)), 6))
                .hasMessageContaining("out of order");
    }

    @Test
    void shouldRefuseAnError() {
        ByteBuffer refused = FetchAnswers.of(7, (short) 3, MemoryRecords.EMPTY);

        assertThatThrownBy(() -> answer.read(refused, 0)).hasMessageContaining("error 3");
    }
}
