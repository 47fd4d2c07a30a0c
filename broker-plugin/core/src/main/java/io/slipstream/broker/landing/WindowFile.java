package io.slipstream.broker.landing;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.function.BooleanSupplier;

/**
 * Makes a segment's file reach as far as batches are to be placed, with zeros that have their blocks: a file system that is full says so here, as
 * an error, and not later, as a signal to whoever writes through a mapping.
 */
final class WindowFile {
    private static final int CHUNK_BYTES = 256 * 1024;

    private WindowFile() {}

    /** While others may append: each step under the log's lock, behind the log's end. */
    static void prepare(LandableLog log, LandableLog.ActiveSegment segment, BooleanSupplier isWanted, int end)
            throws IOException {
        try (FileChannel file = open(segment)) {
            ByteBuffer zeros = ByteBuffer.allocateDirect(CHUNK_BYTES);
            for (int position = 0; position < end; position += CHUNK_BYTES) {
                synchronized (log.monitor()) {
                    position = Math.max(position, segment.sizeBytes());
                    if (!isWanted.getAsBoolean()) {
                        throw new IOException("the log was rolled, cut or moved");
                    }
                    write(file, zeros, position, end);
                }
            }
        }
    }

    /** While the landing is active: beyond the window nobody writes. */
    static void extend(LandableLog.ActiveSegment segment, int start, int end) throws IOException {
        try (FileChannel file = open(segment)) {
            ByteBuffer zeros = ByteBuffer.allocateDirect(CHUNK_BYTES);
            for (int position = start; position < end; position += CHUNK_BYTES) {
                write(file, zeros, position, end);
            }
        }
    }

    private static FileChannel open(LandableLog.ActiveSegment segment) throws IOException {
        return FileChannel.open(segment.path(), StandardOpenOption.WRITE);
    }

    private static void write(FileChannel file, ByteBuffer zeros, int position, int end) throws IOException {
        zeros.position(0).limit(Math.max(0, Math.min(CHUNK_BYTES, end - position)));
        while (zeros.hasRemaining()) {
            file.write(zeros, position + zeros.position());
        }
    }
}
