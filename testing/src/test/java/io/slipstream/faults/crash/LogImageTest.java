// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogImageTest {
    private static final int LENGTH_AT = 8;

    @TempDir
    Path directory;

    @Test
    void shouldFindNothingBeyondWholeBatches() throws IOException {
        SegmentFile.append(directory, 0, SegmentFile.batch(0), SegmentFile.batch(1));
        SegmentFile.append(directory, 2, SegmentFile.batch(2));

        LogImage image = LogImage.of(directory);

        assertThat(image.batches()).extracting(LogImage.Batch::baseOffset).containsExactly(0L, 1L, 2L);
        assertThat(image.segments()).isEqualTo(2);
        assertThat(image.beyondBytes()).isZero();
    }

    @Test
    void shouldCountAllBytesBehindAPoisonedLength() throws IOException {
        byte[] poisoned = SegmentFile.batch(1);
        ByteBuffer.wrap(poisoned).putInt(LENGTH_AT, 0);
        SegmentFile.append(directory, 0, SegmentFile.batch(0), poisoned, new byte[1_000]);

        LogImage image = LogImage.of(directory);

        assertThat(image.batches()).hasSize(1);
        assertThat(image.beyondBytes()).isEqualTo(poisoned.length + 1_000);
    }

    @Test
    void shouldEndASegmentAtABatchWhoseBytesChanged() throws IOException {
        byte[] changed = SegmentFile.batch(1);
        changed[changed.length - 1] ^= 1;
        SegmentFile.append(directory, 0, SegmentFile.batch(0), changed, SegmentFile.batch(2));

        LogImage image = LogImage.of(directory);

        assertThat(image.batches()).extracting(LogImage.Batch::baseOffset).containsExactly(0L);
        assertThat(image.beyondBytes()).isEqualTo(changed.length + SegmentFile.batch(2).length);
    }

    @Test
    void shouldTellALogThatLostABatchFromOneThatGainedOneFromOneThatChanged() throws IOException {
        LogImage two = image("two", SegmentFile.batch(0), SegmentFile.batch(1));
        LogImage one = image("one", SegmentFile.batch(0));
        LogImage other = image("other", SegmentFile.batch(0), SegmentFile.batch(1, "another"));
        LogImage trailing = image("trailing", SegmentFile.batch(0), SegmentFile.batch(1), new byte[7]);

        assertThat(two.differences(two)).isEmpty();
        // Everything beyond is removed, as required.
        assertThat(trailing.differences(two)).isEmpty();
        assertThat(two.differences(one)).singleElement().asString().contains("2 whole batches and has 1");
        assertThat(one.differences(two)).singleElement().asString().contains("1 whole batches and has 2");
        assertThat(two.differences(other)).singleElement().asString().contains("batch 1 was");
        assertThat(two.differences(trailing)).singleElement().asString().contains("7 bytes are left");
    }

    private LogImage image(String name, byte[]... parts) throws IOException {
        Path log = directory.resolve(name);
        SegmentFile.append(log, 0, parts);
        return LogImage.of(log);
    }

    @Test
    void shouldCutTheZerosOfIndexesToWholeEntriesAndCopyNothingOfTheQuorum() throws IOException {
        Path broker = directory.resolve("broker");
        SegmentFile.append(broker.resolve("t-0"), 0, SegmentFile.batch(0), new byte[24]);
        byte[] entries = ByteBuffer.allocate(48).putLong(5).putInt(256).array();
        Files.write(broker.resolve("t-0/00000000000000000000.index"), entries);
        Files.write(broker.resolve("t-0/00000000000000000000.timeindex"), entries);
        SegmentFile.append(broker.resolve("__cluster_metadata-0"), 0, SegmentFile.batch(0));

        Images.copy(broker, directory.resolve("copy"));

        try (Stream<Path> logs = Files.list(directory.resolve("copy"))) {
            assertThat(logs.map(Path::getFileName).map(Path::toString)).containsExactly("t-0");
        }
        List<Long> sizes = Stream.of("index", "timeindex", "log")
                .map(suffix -> directory
                        .resolve("copy/t-0/00000000000000000000." + suffix)
                        .toFile()
                        .length())
                .toList();
        assertThat(sizes).containsExactly(16L, 12L, SegmentFile.batch(0).length + 24L);
    }
}
