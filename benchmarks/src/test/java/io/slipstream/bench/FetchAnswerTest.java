// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.harness.raw.Batches;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.Test;

class FetchAnswerTest {
    private static final short NONE = 0;

    private final FetchAnswer answer = new FetchAnswer(0);
    private final FetchAnswer several = new FetchAnswer(3, 5);

    @Test
    void shouldGoOnBehindTheLastWholeBatch() {
        MemoryRecords first = FetchAnswers.batch(40, 3);
        MemoryRecords second = FetchAnswers.batch(43, 1);
        MemoryRecords third = FetchAnswers.batch(44, 9);
        MemoryRecords cut = Batches.cutTo(third, third.sizeInBytes() - 1);

        answer.read(FetchAnswers.of(7, NONE, Batches.concatenated(first, second, cut)), new long[] {40});

        assertThat(answer.nextOffset(0)).isEqualTo(44);
        assertThat(answer.recordBytes(0)).isEqualTo(first.sizeInBytes() + second.sizeInBytes());
    }

    @Test
    void shouldStayWhereItIsWithoutRecords() {
        answer.read(FetchAnswers.of(7, NONE, MemoryRecords.EMPTY), new long[] {40});

        assertThat(answer.nextOffset(0)).isEqualTo(40);
        assertThat(answer.recordBytes(0)).isZero();
    }

    @Test
    void shouldReadAnAnswerInTheMiddleOfABuffer() {
        ByteBuffer bytes = FetchAnswers.of(7, NONE, FetchAnswers.batch(5, 2));
        ByteBuffer larger =
                ByteBuffer.allocate(bytes.remaining() + 10).position(6).put(bytes);

        answer.read(larger.flip().position(6), new long[] {5});

        assertThat(answer.nextOffset(0)).isEqualTo(7);
    }

    @Test
    void shouldRefuseBatchesThatDoNotFollow() {
        ByteBuffer gap =
                FetchAnswers.of(7, NONE, Batches.concatenated(FetchAnswers.batch(5, 2), FetchAnswers.batch(8, 1)));

        assertThatThrownBy(() -> answer.read(gap, new long[] {5})).hasMessageContaining("out of order");
        assertThatThrownBy(() -> answer.read(FetchAnswers.of(7, NONE, FetchAnswers.batch(5, 2)), new long[] {6}))
                .hasMessageContaining("out of order");
    }

    @Test
    void shouldRefuseAnError() {
        ByteBuffer refused = FetchAnswers.of(7, (short) 3, MemoryRecords.EMPTY);

        assertThatThrownBy(() -> answer.read(refused, new long[] {0})).hasMessageContaining("error 3");
    }

    @Test
    void shouldFollowEachPartition() {
        MemoryRecords third = FetchAnswers.batch(40, 3);
        MemoryRecords fifth = FetchAnswers.batch(7, 2);
        MemoryRecords cut = Batches.cutTo(FetchAnswers.batch(43, 1), 70);

        several.read(
                FetchAnswers.of(
                        7,
                        FetchAnswers.partition(5, NONE, fifth),
                        FetchAnswers.partition(3, NONE, Batches.concatenated(third, cut))),
                new long[] {40, 7});

        assertThat(several.nextOffset(0)).isEqualTo(43);
        assertThat(several.recordBytes(0)).isEqualTo(third.sizeInBytes());
        assertThat(several.nextOffset(1)).isEqualTo(9);
        assertThat(several.recordBytes(1)).isEqualTo(fifth.sizeInBytes());
    }

    @Test
    void shouldForgetTheRecordsOfTheLastAnswer() {
        long[] offsets = {0, 0};
        several.read(
                FetchAnswers.of(
                        7,
                        FetchAnswers.partition(3, NONE, FetchAnswers.batch(0, 1)),
                        FetchAnswers.partition(5, NONE, FetchAnswers.batch(0, 1))),
                offsets);

        several.read(
                FetchAnswers.of(
                        8,
                        FetchAnswers.partition(3, NONE, FetchAnswers.batch(0, 1)),
                        FetchAnswers.partition(5, NONE, MemoryRecords.EMPTY)),
                offsets);

        assertThat(several.recordBytes(1)).isZero();
        assertThat(several.nextOffset(1)).isZero();
    }

    @Test
    void shouldRefuseWhatIsWrongInASecondPartition() {
        long[] offsets = {0, 0};
        PartitionData first = FetchAnswers.partition(3, NONE, FetchAnswers.batch(0, 1));

        assertThatThrownBy(() -> several.read(
                        FetchAnswers.of(7, first, FetchAnswers.partition(5, (short) 6, MemoryRecords.EMPTY)), offsets))
                .hasMessageContaining("error 6");
        assertThatThrownBy(() -> several.read(
                        FetchAnswers.of(7, first, FetchAnswers.partition(5, NONE, FetchAnswers.batch(1, 1))), offsets))
                .hasMessageContaining("out of order");
        assertThatThrownBy(() -> several.read(FetchAnswers.of(7, first), offsets))
                .hasMessageContaining("other partitions");
        assertThatThrownBy(() -> several.read(FetchAnswers.of(7, first, first.duplicate()), offsets))
                .hasMessageContaining("twice");
        assertThatThrownBy(() -> several.read(
                        FetchAnswers.of(7, first, FetchAnswers.partition(4, NONE, FetchAnswers.batch(0, 1))), offsets))
                .hasMessageContaining("not asked for");
    }
}
