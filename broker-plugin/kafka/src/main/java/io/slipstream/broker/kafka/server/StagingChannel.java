// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.apache.kafka.common.network.Send;
import org.apache.kafka.common.network.TransferableChannel;

/** Writes a {@link Send} to a buffer instead of a socket, without the leading 4-byte size. Single use. */
final class StagingChannel implements TransferableChannel {
    static final int SIZE_BYTES = 4;

    private final ByteBuffer target;
    private int toSkip = SIZE_BYTES;

    private StagingChannel(ByteBuffer target) {
        this.target = target;
    }

    /** Writes the whole response, without its size, to the target. */
    static void drain(Send send, ByteBuffer target) throws IOException {
        StagingChannel channel = new StagingChannel(target);
        while (!send.completed()) {
            send.writeTo(channel);
        }
    }

    @Override
    public int write(ByteBuffer source) {
        int before = source.remaining();
        int skipped = Math.min(toSkip, before);
        source.position(source.position() + skipped);
        toSkip -= skipped;
        target.put(source);
        return before;
    }

    @Override
    public long write(ByteBuffer[] sources) {
        return write(sources, 0, sources.length);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
        long written = 0;
        for (int i = offset; i < offset + length; i++) {
            written += write(sources[i]);
        }
        return written;
    }

    @Override
    public long transferFrom(FileChannel file, long position, long count) throws IOException {
        int limit = target.limit();
        target.limit((int) Math.min(limit, target.position() + count));
        try {
            return file.read(target, position);
        } finally {
            target.limit(limit);
        }
    }

    @Override
    public boolean hasPendingWrites() {
        return false;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {}
}
