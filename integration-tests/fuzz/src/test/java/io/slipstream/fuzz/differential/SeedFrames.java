// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.differential;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RequestFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * Valid initial frames: half of them Produce and Fetch of every version, the others as stock clients sent them (the
 * guard's corpus).
 */
final class SeedFrames {
    private static final CompressionType[] CODECS = {CompressionType.NONE, CompressionType.GZIP, CompressionType.ZSTD};
    /**
     * JoinGroup, SyncGroup and similar requests delay their answers; SASL changes later requests; acknowledgements of
     * share groups have lasting effects.
     */
    private static final String HELD_BACK = ".*(join-group|sync-group|heartbeat|share-|sasl|leave-group).*";

    private final Random random;
    private final List<byte[]> recorded;

    SeedFrames(Random random) throws IOException {
        this.random = random;
        Path corpus = Path.of("src/test/resources/io/slipstream/protocol/wire/FrameGuardFuzzTestInputs");
        try (Stream<Path> files = Files.walk(corpus)) {
            recorded = new ArrayList<>(
                    files.filter(file -> file.getFileName().toString().startsWith("request-"))
                            .filter(file -> !file.getFileName().toString().matches(HELD_BACK))
                            .sorted()
                            .map(SeedFrames::frame)
                            .toList());
        }
    }

    /** Returns the frame without the corpus prefix and with a size. */
    private static byte[] frame(Path file) {
        try {
            byte[] input = Files.readAllBytes(file);
            return ByteBuffer.allocate(1 + input.length)
                    .putInt(input.length - 3)
                    .put(input, 3, input.length - 3)
                    .array();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    byte[] next() {
        RequestFrame frame = switch (random.nextInt(10)) {
            case 0, 1, 2 -> produce();
            case 3, 4, 5 -> fetch();
            case 6 -> metadata();
            case 7 -> offsets();
            default -> null;
        };
        if (frame == null) {
            return recorded.get(random.nextInt(recorded.size())).clone();
        }
        ByteBuffer bytes = frame.withCorrelationId(random.nextInt(1 << 20)).bytes();
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return copy;
    }

    private RequestFrame produce() {
        int version = ProduceRequests.OLDEST + random.nextInt(ProduceRequests.NEWEST - ProduceRequests.OLDEST + 1);
        ProduceRequests produce = ProduceRequests.version(version, random.nextInt(3) - 1);
        for (int partition = random.nextInt(3); partition >= 0; partition--) {
            produce.add(Way.PLACEHOLDER, partition, records());
        }
        return produce.frame();
    }

    private MemoryRecords records() {
        byte[][] values = new byte[1 + random.nextInt(3)][];
        for (int i = 0; i < values.length; i++) {
            values[i] = ("value " + random.nextInt(1000)).getBytes(StandardCharsets.US_ASCII);
        }
        return Batches.of(CODECS[random.nextInt(CODECS.length)], values);
    }

    private RequestFrame fetch() {
        int version = FetchRequests.OLDEST + random.nextInt(FetchRequests.NEWEST - FetchRequests.OLDEST + 1);
        FetchRequests fetch = FetchRequests.version(version).minBytes(random.nextInt(2), random.nextInt(20));
        if (random.nextInt(4) == 0) {
            fetch.maxBytes(random.nextInt(1000));
        }
        if (random.nextInt(4) == 0) {
            fetch.readCommitted();
        }
        if (version >= 7 && random.nextInt(3) == 0) {
            fetch.session(random.nextInt(2) * 17, random.nextInt(3) - 1);
        }
        for (int partition = random.nextInt(3); partition >= 0; partition--) {
            fetch.add(
                    Way.PLACEHOLDER,
                    partition,
                    random.nextInt(30),
                    random.nextInt(4) == 0 ? random.nextInt(300) : 1 << 20,
                    version >= 9 && random.nextInt(4) == 0 ? random.nextInt(2) : -1,
                    -1);
        }
        return fetch.frame();
    }

    private RequestFrame metadata() {
        MetadataRequestData metadata = new MetadataRequestData();
        metadata.setTopics(List.of(new MetadataRequestTopic().setName(Way.PLACEHOLDER.name())));
        return RequestFrame.of((short) (4 + random.nextInt(9)), metadata);
    }

    private RequestFrame offsets() {
        ListOffsetsPartition partition =
                new ListOffsetsPartition().setPartitionIndex(random.nextInt(4)).setTimestamp(-1 - random.nextInt(2));
        ListOffsetsTopic topic = new ListOffsetsTopic().setName(Way.PLACEHOLDER.name());
        topic.partitions().add(partition);
        return RequestFrame.of(
                (short) (1 + random.nextInt(8)),
                new ListOffsetsRequestData().setReplicaId(-1).setTopics(List.of(topic)));
    }
}
