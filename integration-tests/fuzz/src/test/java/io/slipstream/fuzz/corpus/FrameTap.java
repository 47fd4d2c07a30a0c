// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.corpus;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A relay between clients and a broker that copies each frame in both directions. */
final class FrameTap implements AutoCloseable {
    /**
     * @param request whether a client sent it
     * @param apiKey for a response, that of its request
     * @param bytes from the header on, without size
     */
    record Frame(boolean request, short apiKey, short version, byte[] bytes) {}

    final List<Frame> frames = Collections.synchronizedList(new ArrayList<>());
    private final ServerSocket server;
    private final int brokerPort;
    private final List<Socket> sockets = Collections.synchronizedList(new ArrayList<>());

    FrameTap(int port, int brokerPort) throws IOException {
        this.brokerPort = brokerPort;
        server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        start("tap", this::accept);
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                Socket broker = new Socket();
                sockets.add(client);
                sockets.add(broker);
                broker.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), brokerPort), 5_000);
                Map<Integer, Frame> requests = new ConcurrentHashMap<>();
                start("tap requests", () -> pump(client, broker, requests, true));
                start("tap responses", () -> pump(broker, client, requests, false));
            } catch (IOException refused) {
                // Clients connect before the broker listens, and the tap closes at the end.
            }
        }
    }

    private void pump(Socket from, Socket to, Map<Integer, Frame> requests, boolean request) {
        try (from;
                to) {
            DataInputStream in = new DataInputStream(from.getInputStream());
            DataOutputStream out = new DataOutputStream(to.getOutputStream());
            while (true) {
                byte[] bytes = new byte[in.readInt()];
                in.readFully(bytes);
                keep(ByteBuffer.wrap(bytes), requests, request);
                ByteBuffer framed = ByteBuffer.allocate(4 + bytes.length)
                        .putInt(bytes.length)
                        .put(bytes);
                out.write(framed.array());
            }
        } catch (EOFException closed) {
            // One side has closed; both are closed.
        } catch (IOException closed) {
            // Likewise.
        }
    }

    private void keep(ByteBuffer frame, Map<Integer, Frame> requests, boolean request) {
        if (request) {
            Frame seen = new Frame(true, frame.getShort(0), frame.getShort(2), frame.array());
            requests.put(frame.getInt(4), seen);
            frames.add(seen);
        } else {
            Frame asked = requests.remove(frame.getInt(0));
            if (asked != null) {
                frames.add(new Frame(false, asked.apiKey, asked.version, frame.array()));
            }
        }
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket socket : List.copyOf(sockets)) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
