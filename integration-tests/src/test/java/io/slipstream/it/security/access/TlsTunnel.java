// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security.access;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** Connects a client without TLS to a broker with TLS: two threads per connection, which forward bytes unread. */
final class TlsTunnel implements AutoCloseable {
    private final ServerSocket listener;
    private final String host;
    private final int port;
    private final SSLSocketFactory sockets;
    private final Set<Closeable> open = ConcurrentHashMap.newKeySet();

    private TlsTunnel(ServerSocket listener, String host, int port, SSLSocketFactory sockets) {
        this.listener = listener;
        this.host = host;
        this.port = port;
        this.sockets = sockets;
    }

    /** @param keys Kafka's {@code ssl.*} keys of PKCS12 stores */
    static TlsTunnel to(String address, Map<String, String> keys) throws IOException, GeneralSecurityException {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store(keys, "ssl.truststore."));
        KeyManager[] identity = null;
        if (keys.containsKey("ssl.keystore.location")) {
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(
                    store(keys, "ssl.keystore."), keys.get("ssl.key.password").toCharArray());
            identity = managers.getKeyManagers();
        }
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(identity, trust.getTrustManagers(), null);
        int colon = address.lastIndexOf(':');
        TlsTunnel tunnel = new TlsTunnel(
                new ServerSocket(0, 50, InetAddress.getLoopbackAddress()),
                address.substring(0, colon),
                Integer.parseInt(address.substring(colon + 1)),
                context.getSocketFactory());
        tunnel.start(tunnel::accept);
        return tunnel;
    }

    private static KeyStore store(Map<String, String> keys, String prefix)
            throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(keys.get(prefix + "type"));
        try (InputStream file = Files.newInputStream(Path.of(keys.get(prefix + "location")))) {
            store.load(file, keys.get(prefix + "password").toCharArray());
        }
        return store;
    }

    String address() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            Socket broker = sockets.createSocket(host, port);
            open.add(client);
            open.add(broker);
            start(() -> carry(client, broker));
            start(() -> carry(broker, client));
        }
    }

    private static void carry(Socket from, Socket to) throws IOException {
        try (from;
                to) {
            to.setTcpNoDelay(true);
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            in.transferTo(out);
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private void start(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException closed) {
                        // Ends the connection for both sides; the test reports missing data.
                    }
                },
                "tunnel");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        open.add(listener);
        for (Closeable socket : open) {
            try {
                socket.close();
            } catch (IOException e) {
                // It is closed.
            }
        }
    }
}
