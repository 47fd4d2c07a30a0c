// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.raw;

import io.slipstream.process.Patience;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * One Kafka connection under full control of the test. It sends requests unchanged and matches responses in order. A
 * response out of order, with a foreign correlation id or with trailing bytes is an error. The calling thread does all
 * the work. Not safe for concurrent use.
 *
 * <p>The channel is non-blocking with its own selector, so that every read has a deadline. A read first tries the
 * socket directly, so a present response needs no wait.
 */
public final class RawClient implements Closeable {
    public static final Duration DEFAULT_TIMEOUT = Patience.ofSeconds(20);
    private static final int MAX_RESPONSE_BYTES = 128 << 20;

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final ArrayDeque<Expected> expected = new ArrayDeque<>();
    private ByteBuffer input = ByteBuffer.allocateDirect(256 << 10).limit(0);
    private int nextCorrelationId;
    private long timeoutNs = DEFAULT_TIMEOUT.toNanos();

    private record Expected(ApiKeys api, short version, int correlationId) {}

    private RawClient(SocketChannel channel) throws IOException {
        this.channel = channel;
        channel.configureBlocking(false);
        selector = Selector.open();
        key = channel.register(selector, SelectionKey.OP_READ);
    }

    /**
     * Connects to {@code host:port}.
     *
     * @throws IOException if the connection is refused
     */
    public static RawClient connect(String bootstrap) throws IOException {
        int colon = bootstrap.lastIndexOf(':');
        return connect(
                new InetSocketAddress(bootstrap.substring(0, colon), Integer.parseInt(bootstrap.substring(colon + 1))));
    }

    public static RawClient connect(InetSocketAddress address) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.connect(address);
            return new RawClient(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Sets the deadline of later reads and writes; the default is {@link #DEFAULT_TIMEOUT}. */
    public RawClient withTimeout(Duration timeout) {
        timeoutNs = timeout.toNanos();
        return this;
    }

    public InetSocketAddress localAddress() throws IOException {
        return (InetSocketAddress) channel.getLocalAddress();
    }

    /** Sends a request and waits for its response. All earlier responses must have been received. */
    public RawResponse call(short version, ApiMessage body) throws IOException {
        send(version, body);
        return receive();
    }

    public <T extends ApiMessage> T call(int version, ApiMessage body, Class<T> type) throws IOException {
        return call((short) version, body).as(type);
    }

    /** Sends a request and returns its correlation id. A later {@link #receive} returns the response. */
    public int send(short version, ApiMessage body) throws IOException {
        return send(RequestFrame.of(version, body));
    }

    /** Sends a prepared request with a new correlation id. */
    public int send(RequestFrame frame) throws IOException {
        int correlationId = sendWithoutAnswer(frame);
        expected.add(new Expected(frame.api(), frame.version(), correlationId));
        return correlationId;
    }

    /** Sends a prepared request that has no response (Produce with acks=0). */
    public int sendWithoutAnswer(RequestFrame frame) throws IOException {
        int correlationId = nextCorrelationId++;
        write(frame.withCorrelationId(correlationId).bytes());
        return correlationId;
    }

    /** Sends raw bytes; expects no response. */
    public void sendBytes(ByteBuffer bytes) throws IOException {
        write(bytes);
    }

    /**
     * Returns the next response, decoded.
     *
     * @throws ResponseOrderException if another response arrives
     * @throws java.net.SocketTimeoutException at the deadline
     * @throws java.io.EOFException if the peer closed the connection
     */
    public RawResponse receive() throws IOException {
        Expected request = expected.peek();
        if (request == null) {
            throw new IllegalStateException("no request is unanswered");
        }
        ByteBuffer view = awaitFrame();
        ByteBuffer frame = ByteBuffer.allocate(view.remaining()).put(view).flip();
        expected.remove();
        checkOrder(frame, request);
        return RawResponse.decode(request.api, request.version, frame);
    }

    /**
     * Receives the next response without decoding or copying it, and checks its correlation id. Returns its length in
     * bytes. For benchmarks.
     */
    public int receiveAndDiscard() throws IOException {
        Expected request = expected.remove();
        ByteBuffer view = awaitFrame();
        checkOrder(view, request);
        return view.remaining();
    }

    private static void checkOrder(ByteBuffer frame, Expected request) {
        int correlationId = frame.getInt(frame.position());
        if (correlationId != request.correlationId) {
            throw new ResponseOrderException(correlationId, request.correlationId + " (" + request.api + ")");
        }
    }

    /** Returns the number of outstanding requests. */
    public int unanswered() {
        return expected.size();
    }

    /** Waits until the peer closes the connection. Returns false at the deadline, or if the peer sends data first. */
    public boolean awaitClosed() throws IOException {
        try {
            return !fill(System.nanoTime() + timeoutNs);
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true; // a reset also counts as closed
        }
    }

    private ByteBuffer awaitFrame() throws IOException {
        long deadlineNs = System.nanoTime() + timeoutNs;
        while (true) {
            if (input.remaining() >= Integer.BYTES) {
                int sizeBytes = input.getInt(input.position());
                if (sizeBytes < Integer.BYTES || sizeBytes > MAX_RESPONSE_BYTES) {
                    throw new IOException("response frame of " + sizeBytes + " bytes");
                }
                if (input.remaining() >= Integer.BYTES + sizeBytes) {
                    int start = input.position() + Integer.BYTES;
                    ByteBuffer view = input.duplicate().position(start).limit(start + sizeBytes);
                    input.position(start + sizeBytes);
                    return view;
                }
                reserve(Integer.BYTES + sizeBytes);
            }
            if (!fill(deadlineNs)) {
                throw new EOFException(
                        "the peer closed the connection with " + expected.size() + " requests unanswered");
            }
        }
    }

    private void reserve(int sizeBytes) {
        if (input.capacity() < sizeBytes) {
            input = ByteBuffer.allocateDirect(Integer.highestOneBit(sizeBytes) * 2)
                    .put(input)
                    .flip();
        }
    }

    /** Reads at least one byte. Returns false at the end of the stream. */
    private boolean fill(long deadlineNs) throws IOException {
        input.compact();
        try {
            while (true) {
                int readBytes = channel.read(input);
                if (readBytes != 0) {
                    return readBytes > 0;
                }
                awaitReady(SelectionKey.OP_READ, deadlineNs);
            }
        } finally {
            input.flip();
        }
    }

    private void write(ByteBuffer bytes) throws IOException {
        long deadlineNs = System.nanoTime() + timeoutNs;
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) == 0) {
                awaitReady(SelectionKey.OP_WRITE, deadlineNs);
            }
        }
    }

    private void awaitReady(int operation, long deadlineNs) throws IOException {
        long remainingMs = (deadlineNs - System.nanoTime() + 999_999) / 1_000_000;
        if (remainingMs <= 0) {
            throw new SocketTimeoutException(
                    "no progress within " + timeoutNs / 1_000_000 + " ms, " + expected.size() + " requests unanswered");
        }
        key.interestOps(operation);
        selector.select(remainingMs);
        selector.selectedKeys().clear();
    }

    @Override
    public void close() throws IOException {
        selector.close();
        channel.close();
    }
}
