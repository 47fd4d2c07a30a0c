// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import io.slipstream.broker.ring.RingReply;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.apache.kafka.common.network.Send;
import org.apache.kafka.common.network.TransferableChannel;

/** Writes a {@link Send} to buffers instead of a socket, without the leading 4-byte size. For one Send. */
final class StagingChannel implements TransferableChannel {
    static final int SIZE_BYTES = 4;

    private final Send send;
    private ByteBuffer target;
    private int toSkip = SIZE_BYTES;

    StagingChannel(Send send) {
        this.send = send;
    }

    /** Writes the next bytes of the response, until the target is full. */
    void fill(ByteBuffer buffer) throws IOException {
        target = buffer;
        while (target.hasRemaining()) {
            if (send.completed()) {
                throw new EOFException(target.remaining() + " bytes of a response are missing");
            }
            send.writeTo(this);
        }
    }

    @Override
    public int write(ByteBuffer source) {
        int skipped = Math.min(toSkip, source.remaining());
        source.position(source.position() + skipped);
        toSkip -= skipped;
        return skipped + RingReply.move(source, target);
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
