// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.Allocation;
import io.slipstream.protocol.KafkaFrames;
import io.slipstream.protocol.Seeds;
import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.Test;

class BatchWalkTest {
    private static final int NO_LIMIT = Integer.MAX_VALUE;

    // Offsets 10-12, 13, 14-17.
    private final MemoryRecords first = KafkaFrames.batch(10, 5, 3);
    private final MemoryRecords second = KafkaFrames.batch(13, 6, 1);
    private final MemoryRecords third = KafkaFrames.batch(14, 7, 4);
    private final ByteBuffer log = KafkaFrames.log(first, second, third);
    private final int size1 = first.sizeInBytes();
    private final int size2 = second.sizeInBytes();
    private final int size3 = third.sizeInBytes();
    private final BatchWalk walk = new BatchWalk();

    private void walk(int to, long fetchOffset, long offsetLimit, int byteLimit, boolean atLeastOne) {
        walk.walk(log, 0, to, fetchOffset, offsetLimit, byteLimit, atLeastOne);
    }

    private void expect(BatchWalk.Stop stop, int start, int bytes, long records, long next, int epoch) {
        assertThat(walk.stop).isEqualTo(stop);
        assertThat(walk.startIndex).isEqualTo(start);
        assertThat(walk.acceptedBytes()).isEqualTo(bytes);
        assertThat(walk.recordCount).isEqualTo(records);
        assertThat(walk.nextOffset).isEqualTo(next);
        assertThat(walk.lastLeaderEpoch).isEqualTo(epoch);
    }

    @Test
    void shouldAcceptWholeBatchesToTheEnd() {
        walk(log.limit(), 10, 18, NO_LIMIT, true);
        expect(BatchWalk.Stop.END, 0, size1 + size2 + size3, 8, 18, 7);
    }

    @Test
    void shouldStopBelowTheOffsetLimit() {
        walk(log.limit(), 10, 17, NO_LIMIT, true);
        expect(BatchWalk.Stop.OFFSET_LIMIT, 0, size1 + size2, 4, 14, 6);
        walk(log.limit(), 10, 10, NO_LIMIT, true);
        expect(BatchWalk.Stop.OFFSET_LIMIT, 0, 0, 0, 10, -1);
    }

    @Test
    void shouldStepOverBatchesBelowTheFetchOffsetAndKeepTheOneThatHoldsIt() {
        walk(log.limit(), 12, 18, NO_LIMIT, true);
        expect(BatchWalk.Stop.END, 0, size1 + size2 + size3, 8, 18, 7);
        walk(log.limit(), 13, 18, NO_LIMIT, true);
        expect(BatchWalk.Stop.END, size1, size2 + size3, 5, 18, 7);
        walk(log.limit(), 18, 18, NO_LIMIT, true);
        expect(BatchWalk.Stop.END, size1 + size2 + size3, 0, 0, 18, -1);
    }

    @Test
    void shouldKeepTheByteLimitButGiveAtLeastOneBatchIfAsked() {
        walk(log.limit(), 10, 18, size1 + size2, true);
        expect(BatchWalk.Stop.BYTE_LIMIT, 0, size1 + size2, 4, 14, 6);
        walk(log.limit(), 10, 18, size1 + size2 - 1, true);
        expect(BatchWalk.Stop.BYTE_LIMIT, 0, size1, 3, 13, 5);
        walk(log.limit(), 10, 18, 0, true);
        expect(BatchWalk.Stop.BYTE_LIMIT, 0, size1, 3, 13, 5);
        walk(log.limit(), 10, 18, 0, false);
        expect(BatchWalk.Stop.BYTE_LIMIT, 0, 0, 0, 10, -1);
        walk(log.limit(), 10, 18, -5, true);
        expect(BatchWalk.Stop.BYTE_LIMIT, 0, size1, 3, 13, 5);
    }

    /** A client may request any number of bytes; found by fuzzing. */
    @Test
    void shouldGiveOneBatchAtMostIfAskedForFewerThanNoBytes() {
        walk(log.limit(), 10, 18, Integer.MIN_VALUE + 1, true);
        expect(BatchWalk.Stop.BYTE_LIMIT, 0, size1, 3, 13, 5);
        walk(log.limit(), 10, 18, Integer.MIN_VALUE, false);
        expect(BatchWalk.Stop.BYTE_LIMIT, 0, 0, 0, 10, -1);
    }

    @Test
    void shouldNotAcceptAPartialBatchAtAnyCut() {
        for (int to = 0; to < log.limit(); to++) {
            walk(to, 10, 18, NO_LIMIT, true);
            boolean whole = to == 0 || to == size1 || to == size1 + size2;
            assertThat(walk.stop).isEqualTo(whole ? BatchWalk.Stop.END : BatchWalk.Stop.PARTIAL_BATCH);
            int accepted = to < size1 ? 0 : to < size1 + size2 ? size1 : size1 + size2;
            assertThat(walk.acceptedBytes()).isEqualTo(accepted);
        }
    }

    @Test
    void shouldRecogniseWhatIsNoLog() {
        assertTorn(8, 0, BatchWalk.Stop.BAD_LENGTH); // a poisoned or zeroed batch
        assertTorn(8, 48, BatchWalk.Stop.BAD_LENGTH);
        assertTorn(8, -1, BatchWalk.Stop.BAD_LENGTH);
        assertTorn(8, Integer.MIN_VALUE, BatchWalk.Stop.BAD_LENGTH);
        assertTorn(8, Integer.MAX_VALUE, BatchWalk.Stop.BAD_LENGTH);
        assertTorn(13, 0, BatchWalk.Stop.BAD_MAGIC); // last byte of these four is the magic
        assertTorn(23, -1, BatchWalk.Stop.BAD_OFFSETS);
        assertTorn(57, -1, BatchWalk.Stop.BAD_OFFSETS);
        assertTorn(0, -1, BatchWalk.Stop.BAD_OFFSETS);
        assertTorn(4, 3, BatchWalk.Stop.BAD_OFFSETS); // base offset below the batch before
    }

    private void assertTorn(int offset, int value, BatchWalk.Stop expected) {
        int before = log.getInt(size1 + offset);
        log.putInt(size1 + offset, value);
        walk(log.limit(), 10, 18, NO_LIMIT, true);
        expect(expected, 0, size1, 3, 13, 5);
        assertThat(walk.stop.isTorn()).isTrue();
        log.putInt(size1 + offset, before);
    }

    @Test
    void shouldSurviveAnyBytesWithoutAllocation() {
        Random random = Seeds.random("BatchWalkTest");
        byte[] bytes = new byte[256];
        ByteBuffer noise = ByteBuffer.allocateDirect(bytes.length);
        Runnable walks = () -> {
            for (int i = 0; i < 20_000; i++) {
                random.nextBytes(bytes);
                noise.put(0, bytes);
                noise.putInt(8, random.nextInt(300)).put(16, (byte) 2).putInt(23, random.nextInt(9));
                walk.walk(noise, 0, random.nextInt(257), random.nextLong(), random.nextLong(), 100, true);
                if (walk.acceptedBytes() > 256 || walk.startIndex > 256) {
                    throw new AssertionError(walk.acceptedBytes() + " bytes of 256");
                }
            }
        };
        walks.run();
        assertThat(Allocation.bytesOf(walks)).isLessThan(5_000);
    }
}
