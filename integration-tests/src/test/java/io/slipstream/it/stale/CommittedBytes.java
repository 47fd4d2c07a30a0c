package io.slipstream.it.stale;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/** Check sums of all bytes below the end of the batches of each segment, page by page. Taken while nobody appends. Immutable. */
final class CommittedBytes {
    private static final int PAGE_BYTES = 4096;
    private static final int LAST_OFFSET_DELTA_OFFSET = 23;

    private final Map<Path, Segment> segments = new TreeMap<>();
    private final Map<Path, Long> endOffsets = new TreeMap<>();

    private record Segment(long endBytes, List<Long> pages) {}

    private CommittedBytes() {}

    /** @param partitions directories */
    static CommittedBytes of(List<Path> partitions) {
        CommittedBytes all = new CommittedBytes();
        try {
            for (Path partition : partitions) {
                all.endOffsets.put(partition, 0L);
                for (Path segment : SegmentTail.segments(partition)) {
                    all.read(partition, segment);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the logs of " + partitions, e);
        }
        return all;
    }

    private void read(Path partition, Path segment) throws IOException {
        long end = 0;
        try (FileChannel file = FileChannel.open(segment, StandardOpenOption.READ);
                SegmentTail tail = SegmentTail.of(segment, file)) {
            ByteBuffer head = ByteBuffer.allocate(LAST_OFFSET_DELTA_OFFSET + Integer.BYTES);
            for (int bytes = tail.committedBytes(0); bytes > 0; bytes = tail.committedBytes(end)) {
                file.read(head.clear(), end);
                endOffsets.put(partition, head.getLong(0) + head.getInt(LAST_OFFSET_DELTA_OFFSET) + 1);
                end += bytes;
            }
            segments.put(segment, new Segment(end, pages(file, end)));
        }
    }

    private static List<Long> pages(FileChannel file, long end) throws IOException {
        List<Long> pages = new ArrayList<>();
        ByteBuffer page = ByteBuffer.allocateDirect(PAGE_BYTES);
        CRC32C crc = new CRC32C();
        for (long position = 0; position < end; position += PAGE_BYTES) {
            page.clear().limit((int) Math.min(PAGE_BYTES, end - position));
            while (page.hasRemaining() && file.read(page, position + page.position()) > 0) {
                // Until the page is whole or the file ends.
            }
            crc.reset();
            crc.update(page.flip());
            pages.add(crc.getValue());
        }
        return pages;
    }

    /** The offset behind the last batch of that partition. */
    long endOffset(Path partition) {
        return endOffsets.get(partition);
    }

    long sizeBytes() {
        return segments.values().stream().mapToLong(Segment::endBytes).sum();
    }

    int files() {
        return segments.size();
    }

    /** Which of these bytes are others now, by file and first position; empty if none is. */
    List<String> changes() {
        List<String> changes = new ArrayList<>();
        segments.forEach((path, before) -> {
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
                List<Long> now = pages(file, before.endBytes);
                for (int i = 0; i < now.size(); i++) {
                    if (!now.get(i).equals(before.pages.get(i))) {
                        changes.add(path + ": bytes at " + (long) i * PAGE_BYTES + " of " + before.endBytes
                                + " are others now");
                        return;
                    }
                }
            } catch (IOException e) {
                changes.add(path + ": " + (Files.exists(path) ? e.toString() : "gone"));
            }
        });
        return changes;
    }
}
