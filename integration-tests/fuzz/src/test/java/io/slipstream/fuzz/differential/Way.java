// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.differential;

import io.slipstream.harness.raw.TopicRef;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;

/**
 * One path to the broker, with its own connection and topic. Frames are equal for all paths: they name {@link
 * #PLACEHOLDER}, which is replaced by the path's topic in requests, and restored in answers.
 */
final class Way implements AutoCloseable {
    static final TopicRef PLACEHOLDER =
            new TopicRef("fuzzed-x-00000", new Uuid(0x5ca1ab1e_00ddba11L, 0x00ff1ce0_0ddba110L));
    /** Replaces any path's port in an answer. */
    private static final int ANY_PORT = 1;
    /**
     * An ApiVersions request with this correlation id follows each frame; its answer shows that all others have
     * arrived.
     */
    private static final int PROBE = 0x7f0b_e001;

    private static final int ANSWER_MS = 400;
    private static final int CONNECT_MS = 5_000;
    private static final int MOST_BYTES = 64 << 20;

    final String name;
    private final int port;
    private TopicRef topic;
    private Socket socket;

    Way(String name, int port) {
        this.name = name;
        this.port = port;
    }

    /** @param fresh topic whose name has the placeholder's length */
    void use(TopicRef fresh) {
        if (fresh.name().length() != PLACEHOLDER.name().length()) {
            throw new IllegalArgumentException(fresh + " does not take the place of " + PLACEHOLDER);
        }
        topic = fresh;
    }

    /** Sends the frame (with its size) and the probe, and waits for all answers. */
    Outcome exchange(byte[] frame) throws IOException {
        if (socket == null) {
            socket = new Socket();
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MS);
        }
        List<byte[]> answers = new ArrayList<>();
        long deadlineNs = System.nanoTime() + ANSWER_MS * 1_000_000L;
        try {
            ByteBuffer probe = ByteBuffer.allocate(14);
            probe.putInt(10)
                    .putShort((short) 18)
                    .putShort((short) 0)
                    .putInt(PROBE)
                    .putShort((short) -1);
            byte[] both = ByteBuffer.allocate(frame.length + 14)
                    .put(substitute(frame.clone(), PLACEHOLDER, topic))
                    .put(probe.flip())
                    .array();
            socket.getOutputStream().write(both);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (true) {
                long leftMs = (deadlineNs - System.nanoTime()) / 1_000_000;
                if (leftMs <= 0) {
                    throw new SocketTimeoutException();
                }
                socket.setSoTimeout((int) leftMs);
                int size = in.readInt();
                if (size < Integer.BYTES || size > MOST_BYTES) {
                    throw new AssertionError(name + " answers a frame of " + size + " bytes");
                }
                byte[] answer = in.readNBytes(size);
                if (answer.length < size) {
                    throw new EOFException();
                }
                if (ByteBuffer.wrap(answer).getInt() == PROBE) {
                    return new Outcome(Outcome.End.ANSWERED, answers);
                }
                answers.add(canonical(answer));
            }
        } catch (SocketTimeoutException silent) {
            close();
            return new Outcome(Outcome.End.SILENT, answers);
        } catch (IOException closed) {
            close();
            return new Outcome(Outcome.End.CLOSED, answers);
        }
    }

    private byte[] canonical(byte[] answer) {
        substitute(answer, topic, PLACEHOLDER);
        ByteBuffer bytes = ByteBuffer.wrap(answer);
        for (int i = 0; i + Integer.BYTES <= answer.length; i++) {
            if (bytes.getInt(i) == port) {
                bytes.putInt(i, ANY_PORT);
            }
        }
        return answer;
    }

    private static byte[] substitute(byte[] bytes, TopicRef from, TopicRef to) {
        replace(
                bytes,
                from.name().getBytes(StandardCharsets.US_ASCII),
                to.name().getBytes(StandardCharsets.US_ASCII));
        replace(bytes, bytes(from.id()), bytes(to.id()));
        return bytes;
    }

    private static byte[] bytes(Uuid id) {
        return ByteBuffer.allocate(16)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .array();
    }

    private static void replace(byte[] bytes, byte[] from, byte[] to) {
        for (int i = 0; i + from.length <= bytes.length; i++) {
            if (java.util.Arrays.equals(bytes, i, i + from.length, from, 0, from.length)) {
                System.arraycopy(to, 0, bytes, i, to.length);
            }
        }
    }

    /** Closes the connection; the next frame opens another. */
    @Override
    public void close() {
        if (socket != null) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
            socket = null;
        }
    }
}
