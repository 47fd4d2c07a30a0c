// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.alerts;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;

/** Answers every request with a response to another one. */
final class FakeBroker implements AutoCloseable {
    private static final int ANSWER_BYTES = 8;

    private final ServerSocket server;

    FakeBroker() {
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread thread = new Thread(this::serve, "fake-broker");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return server.getLocalPort();
    }

    private void serve() {
        while (!server.isClosed()) {
            try (Socket client = server.accept()) {
                client.setSoTimeout(1_000);
                InputStream in = client.getInputStream();
                if (in.read(new byte[1024]) > 0) {
                    byte[] answer = ByteBuffer.allocate(4 + ANSWER_BYTES)
                            .putInt(ANSWER_BYTES)
                            .putInt(0x7badcafe)
                            .array();
                    client.getOutputStream().write(answer);
                    while (in.read() >= 0) {
                        // Until the proxy disconnects.
                    }
                }
            } catch (IOException next) {
                // Accepts the next connection.
            }
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
