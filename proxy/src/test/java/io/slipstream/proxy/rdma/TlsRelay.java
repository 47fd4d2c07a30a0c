// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/** A relay between two TLS peers: decrypts, encrypts again and forwards. */
final class TlsRelay implements AutoCloseable {
    private final SSLContext context;
    private final SSLServerSocket listener;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();

    TlsRelay(SSLContext context) throws IOException {
        this.context = context;
        listener = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Starts to forward to that port. */
    void to(int port) {
        threads.execute(() -> {
            try {
                while (true) {
                    Socket from = keep(listener.accept());
                    Socket to = keep(context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port));
                    threads.execute(() -> copy(from, to));
                    threads.execute(() -> copy(to, from));
                }
            } catch (IOException e) {
                // The test is over.
            }
        });
    }

    private Socket keep(Socket socket) {
        sockets.add(socket);
        return socket;
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // Either side has closed.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
        threads.shutdownNow();
    }
}
