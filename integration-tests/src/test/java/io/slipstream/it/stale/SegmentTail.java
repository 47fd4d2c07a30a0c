package io.slipstream.it.stale;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * The newest segment of a partition as it grows: committed batches, behind them batches that were placed and have no length yet, behind them zeros. Reads the file while others write it, by
 * positions, so that a cut of the file is the end of it and no signal.
 */
final class SegmentTail implements AutoCloseable {
    private static final int LENGTH_OFFSET = 8;
    private static final int MAGIC_OFFSET = 16;
    private static final int OVERHEAD_BYTES = 12;
    /** The last bytes of a batch are the headers' count of its record, which is zero, and behind the value's, which never are. */
    private static final int TAIL_BYTES = 16;

    private final Path path;
    private final FileChannel file;
    private final ByteBuffer one = ByteBuffer.allocateDirect(1);
    private final ByteBuffer word = ByteBuffer.allocateDirect(Integer.BYTES);
    private final ByteBuffer tail = ByteBuffer.allocateDirect(TAIL_BYTES);

    private SegmentTail(Path path, FileChannel file) {
        this.path = path;
        this.file = file;
    }

    /** The newest of a partition's segments. */
    static SegmentTail of(Path partition) {
        try {
            List<Path> segments = segments(partition);
            Path newest = segments.get(segments.size() - 1);
            return new SegmentTail(newest, FileChannel.open(newest, StandardOpenOption.READ));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + partition, e);
        }
    }

    /** Any segment, by a file that is open and stays the caller's to close, too. */
    static SegmentTail of(Path segment, FileChannel file) {
        return new SegmentTail(segment, file);
    }

    /** Of a partition, in the order of their offsets. */
    static List<Path> segments(Path partition) throws IOException {
        try (Stream<Path> files = Files.list(partition)) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList();
        }
    }

    Path path() {
        return path;
    }

    /** Bytes of the batch there; 0 if it is not committed. */
    int committedBytes(long position) {
        int length = read(word, position + LENGTH_OFFSET) ? word.getInt(0) : 0;
        return length == 0 ? 0 : length + OVERHEAD_BYTES;
    }

    /** Where committed batches end. */
    long committedEnd() {
        long end = 0;
        for (int bytes = committedBytes(0); bytes > 0; bytes = committedBytes(end)) {
            end += bytes;
        }
        return end;
    }

    /** Of the first byte of a batch that is neither zero until it is committed, nor zero ever. */
    long magicPosition(long position) {
        return position + MAGIC_OFFSET;
    }

    /** Whether somebody has begun to write a batch there. */
    private boolean isBegun(long position) {
        return read(one, magicPosition(position)) && one.get(0) != 0;
    }

    /** Whether the batch there, of so many bytes, was begun and the last of it is missing. */
    boolean isTorn(long position, int bytes) {
        if (committedBytes(position) != 0 || !isBegun(position) || !read(tail, position + bytes - TAIL_BYTES)) {
            return false;
        }
        return tail.getLong(0) == 0 && tail.getInt(Long.BYTES) == 0;
    }

    private boolean read(ByteBuffer target, long position) {
        try {
            target.clear();
            return file.read(target, position) == target.capacity();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + path, e);
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot close " + path, e);
        }
    }
}
