// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.RequestFrame;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * One connection with one Fetch at a time. The request is prepared once; only correlation id and offsets change.
 * Non-blocking: the owner of the selector drives it and finds {@code slot} attached to the key.
 */
final class FetchConnection {
    /** Placeholder of the offset in a prepared request, to locate it; no other field has this value. */
    static final long OFFSET_MARK = 0x7a5a_1234_5678_9abcL;

    private static final int CORRELATION_ID_INDEX = 2 * Integer.BYTES;
    /** A partition's number and leader epoch precede its offset. */
    private static final int PARTITION_DISTANCE_BYTES = 2 * Integer.BYTES;

    private final SocketChannel channel;
    private final ByteBuffer request;
    /** Position of each partition's offset, in request order. */
    private final int[] offsetIndexes;

    private final ByteBuffer input;
    private final FetchAnswer answer;
    private final long[] offsets;
    private int correlationId;

    /**
     * @param marked a Fetch of one topic's partitions with {@link #OFFSET_MARK} as offset
     * @param mostBytes maximum size of an answer
     */
    FetchConnection(Selector selector, int slot, InetSocketAddress address, RequestFrame marked, int mostBytes)
            throws IOException {
        request = ByteBuffer.allocateDirect(marked.sizeBytes())
                .put(marked.bytes())
                .flip();
        offsetIndexes = indexesOf(request, OFFSET_MARK);
        offsets = new long[offsetIndexes.length];
        answer = new FetchAnswer(Arrays.stream(offsetIndexes)
                .map(index -> request.getInt(index - PARTITION_DISTANCE_BYTES))
                .toArray());
        input = ByteBuffer.allocateDirect(mostBytes);
        channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.connect(address);
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, slot);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static int[] indexesOf(ByteBuffer frame, long value) {
        int[] indexes = IntStream.rangeClosed(0, frame.limit() - Long.BYTES)
                .filter(i -> frame.getLong(i) == value)
                .toArray();
        if (indexes.length == 0) {
            throw new IllegalArgumentException("the request does not ask for the marked offset");
        }
        return indexes;
    }

    /** @param fromOffsets offsets in request order */
    void send(long... fromOffsets) throws IOException {
        request.clear();
        request.putInt(CORRELATION_ID_INDEX, ++correlationId);
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = fromOffsets[i];
            request.putLong(offsetIndexes[i], offsets[i]);
        }
        input.clear();
        if (channel.write(request) != request.capacity()) {
            throw new IOException("the socket did not take a request of " + request.capacity() + " bytes");
        }
    }

    /**
     * Reads available bytes. Returns true once the answer is complete.
     *
     * @throws IllegalStateException if the answer is unexpected
     */
    boolean receive() throws IOException {
        if (channel.read(input) < 0) {
            throw new EOFException("the peer closed the connection");
        }
        if (input.position() < 2 * Integer.BYTES) {
            return false;
        }
        int end = Integer.BYTES + input.getInt(0);
        if (end > input.capacity()) {
            throw new IOException("an answer of " + end + " bytes");
        } else if (input.position() < end) {
            return false;
        }
        if (input.position() > end || input.getInt(Integer.BYTES) != correlationId) {
            throw new IllegalStateException("an answer that nobody waits for");
        }
        input.limit(end).position(Integer.BYTES);
        answer.read(input, offsets);
        return true;
    }

    /** Valid after {@link #receive} returned true, until the next request. */
    FetchAnswer answer() {
        return answer;
    }

    /** Returns the bytes of that answer from its correlation id on. */
    ByteBuffer answerFrame() {
        return input.slice(Integer.BYTES, input.limit() - Integer.BYTES);
    }

    /** Also deregisters from the selector. */
    void close() throws IOException {
        channel.close();
    }
}
