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

/**
 * One connection with one Fetch at a time, prepared once: only its correlation id and offset change. Not blocking; whoever owns the selector
 * drives it, and finds {@code slot} attached to its key.
 */
final class FetchConnection {
    /** Stands for the offset in a prepared request, to find where it is; no other field has this value. */
    static final long OFFSET_MARK = 0x7a5a_1234_5678_9abcL;

    private static final int CORRELATION_ID_INDEX = 2 * Integer.BYTES;

    private final SocketChannel channel;
    private final ByteBuffer request;
    private final int offsetIndex;
    private final ByteBuffer input;
    private final FetchAnswer answer = new FetchAnswer();
    private int correlationId;
    private long offset;

    /**
     * @param marked a Fetch for {@link #OFFSET_MARK}
     * @param mostBytes of an answer
     */
    FetchConnection(Selector selector, int slot, InetSocketAddress address, RequestFrame marked, int mostBytes)
            throws IOException {
        request = ByteBuffer.allocateDirect(marked.sizeBytes())
                .put(marked.bytes())
                .flip();
        offsetIndex = indexOf(request, OFFSET_MARK);
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

    private static int indexOf(ByteBuffer frame, long value) {
        for (int i = 0; i <= frame.limit() - Long.BYTES; i++) {
            if (frame.getLong(i) == value) {
                return i;
            }
        }
        throw new IllegalArgumentException("the request does not ask for the marked offset");
    }

    void send(long fromOffset) throws IOException {
        offset = fromOffset;
        request.clear();
        request.putInt(CORRELATION_ID_INDEX, ++correlationId).putLong(offsetIndex, offset);
        input.clear();
        if (channel.write(request) != request.capacity()) {
            throw new IOException("the socket did not take a request of " + request.capacity() + " bytes");
        }
    }

    /** Reads what is there; true once the answer is complete. Throws IllegalStateException if it is not what should come. */
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
        answer.read(input, offset);
        return true;
    }

    /** Once {@link #receive} was true, until the next request. */
    FetchAnswer answer() {
        return answer;
    }

    /** That answer's bytes from its correlation id on. */
    ByteBuffer answerFrame() {
        return input.slice(Integer.BYTES, input.limit() - Integer.BYTES);
    }

    /** Also takes it from the selector. */
    void close() throws IOException {
        channel.close();
    }
}
