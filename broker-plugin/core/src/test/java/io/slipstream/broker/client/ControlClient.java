// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.client;

import io.slipstream.protocol.control.ControlCodec;
import io.slipstream.protocol.control.ControlEnvelope;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import javax.net.ssl.SSLSocket;

/** A blocking client of the control channel. */
public final class ControlClient implements AutoCloseable {
    private final ReadableByteChannel in;
    private final WritableByteChannel out;
    private int correlationId;

    public ControlClient(Path socket) throws IOException {
        this(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
    }

    public ControlClient(InetSocketAddress address) throws IOException {
        this(SocketChannel.open(address));
    }

    /** Connects the client to a TLS socket. */
    public ControlClient(SSLSocket socket) throws IOException {
        in = Channels.newChannel(socket.getInputStream());
        out = Channels.newChannel(socket.getOutputStream());
    }

    private ControlClient(SocketChannel channel) {
        in = channel;
        out = channel;
    }

    public <T extends ControlResponse> T ask(ControlRequest request, Class<T> type) throws IOException {
        int id = correlationId++;
        write(ControlCodec.encodeRequest(id, request));
        ControlEnvelope<ControlResponse> answer = ControlCodec.decodeResponse(readFrame());
        if (answer.correlationId() != id) {
            throw new IOException("answer to " + answer.correlationId() + " instead of " + id);
        }
        return type.cast(answer.message());
    }

    public void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            out.write(bytes);
        }
    }

    public ByteBuffer readFrame() throws IOException {
        ByteBuffer size = read(ByteBuffer.allocate(4));
        return read(ByteBuffer.allocate(size.getInt()));
    }

    /** Reads and drops input until the plugin closes the connection. */
    public void awaitClose() throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(4096);
        while (in.read(buffer) >= 0) {
            buffer.clear();
        }
    }

    private ByteBuffer read(ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (in.read(buffer) < 0) {
                throw new EOFException("the plugin closed the control connection");
            }
        }
        return buffer.flip();
    }

    @Override
    public void close() throws IOException {
        in.close();
        out.close();
    }
}
