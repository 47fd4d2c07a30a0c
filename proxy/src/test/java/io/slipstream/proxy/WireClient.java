// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLContext;

/** A client that sends given bytes; every read has a deadline. */
final class WireClient implements AutoCloseable {
    private static final int PATIENCE_MS = 10_000;

    private final Socket socket;
    private final DataInputStream in;

    WireClient(InetSocketAddress address) throws IOException {
        this(address, new Socket());
    }

    /** With TLS. */
    WireClient(InetSocketAddress address, SSLContext tls) throws IOException {
        this(address, tls.getSocketFactory().createSocket());
    }

    private WireClient(InetSocketAddress address, Socket unconnected) throws IOException {
        socket = unconnected;
        socket.connect(address, PATIENCE_MS);
        socket.setSoTimeout(PATIENCE_MS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
    }

    /** A request with a version 1 header without client id, after its size. */
    static byte[] request(int api, int version, int correlationId, byte... body) {
        return ByteBuffer.allocate(14 + body.length)
                .putInt(10 + body.length)
                .putShort((short) api)
                .putShort((short) version)
                .putInt(correlationId)
                .putShort((short) -1)
                .put(body)
                .array();
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    /** The size of the next response, of which the other methods then receive the rest. */
    int receiveSize() throws IOException {
        return in.readInt();
    }

    void receive(byte[] into, int offset, int length) throws IOException {
        in.readFully(into, offset, length);
    }

    /** The next response from its correlation id on. */
    ByteBuffer receive() throws IOException {
        byte[] response = new byte[in.readInt()];
        in.readFully(response);
        return ByteBuffer.wrap(response);
    }

    /** Waits for the end of the connection; false if it does not come. */
    boolean isClosedByPeer() throws IOException {
        try {
            return in.read() < 0;
        } catch (java.net.SocketException reset) {
            return true;
        }
    }

    void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
