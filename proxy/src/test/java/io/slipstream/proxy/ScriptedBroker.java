// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.MessageUtil;

/**
 * A broker for behaviour that a real one does not show on command: no answer, abrupt end, slow answers. It answers
 * Metadata with itself as broker 1, or under other ids. To every other request it answers with the correlation id and
 * the request's own bytes, serially as a broker does. Integration tests use real brokers.
 */
final class ScriptedBroker implements AutoCloseable {
    static final short SILENT = 42;
    private static final int MAX_FRAME_BYTES = 100 << 20;

    private final ServerSocket listener;
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private final List<Integer> received = new CopyOnWriteArrayList<>();
    private volatile List<Integer> nodeIds = List.of(1);
    private volatile Script onFetch;

    /** Writes the answer to a request. */
    interface Script {
        void answer(OutputStream out, int correlationId) throws IOException;
    }

    ScriptedBroker() throws IOException {
        this(0);
    }

    ScriptedBroker(int port) throws IOException {
        this(new ServerSocket(port, 50, InetAddress.getLoopbackAddress()));
    }

    /** With TLS. */
    ScriptedBroker(SSLContext tls) throws IOException {
        this(tls.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress()));
    }

    private ScriptedBroker(ServerSocket listener) {
        this.listener = listener;
        start("accept", this::accept);
    }

    /** With TLS, as a broker with {@code ssl.client.auth=required}. */
    ScriptedBroker askingForCertificates() {
        ((SSLServerSocket) listener).setNeedClientAuth(true);
        return this;
    }

    /** Names itself as all these brokers from now on. */
    void nameItself(List<Integer> ids) {
        nodeIds = ids;
    }

    void onFetch(Script script) {
        onFetch = script;
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Correlation ids of all requests but Metadata, in the order received. */
    List<Integer> received() {
        return received;
    }

    /** Ends all connections, as a broker does that stops. */
    void disconnectAll() throws IOException {
        for (Socket connection : connections) {
            connection.close();
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        disconnectAll();
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException closed) {
                        // The end of a connection ends its thread.
                    }
                },
                "scripted-broker-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket connection = listener.accept();
            connections.add(connection);
            start("serve", () -> serve(connection));
        }
    }

    private void serve(Socket connection) throws IOException {
        try (connection) {
            DataInputStream in = new DataInputStream(connection.getInputStream());
            OutputStream out = connection.getOutputStream();
            while (true) {
                int sizeBytes = in.readInt();
                if (sizeBytes > MAX_FRAME_BYTES) {
                    return;
                }
                byte[] frame = new byte[sizeBytes];
                in.readFully(frame);
                ByteBuffer request = ByteBuffer.wrap(frame);
                short api = request.getShort();
                short version = request.getShort();
                int correlationId = request.getInt();
                if (api == ApiKeys.METADATA.id) {
                    write(out, metadata(correlationId, version));
                    continue;
                }
                received.add(correlationId);
                if (api == ApiKeys.FETCH.id && onFetch != null) {
                    onFetch.answer(out, correlationId);
                    continue;
                }
                boolean noResponse = api == ApiKeys.PRODUCE.id;
                if (api != SILENT && !noResponse) {
                    write(
                            out,
                            ByteBuffer.allocate(4 + frame.length)
                                    .putInt(correlationId)
                                    .put(frame)
                                    .flip());
                }
            }
        } finally {
            connections.remove(connection);
        }
    }

    private static void write(OutputStream out, ByteBuffer response) throws IOException {
        byte[] wire = new byte[4 + response.remaining()];
        ByteBuffer.wrap(wire).putInt(response.remaining()).put(response);
        out.write(wire);
        out.flush();
    }

    private ByteBuffer metadata(int correlationId, short version) {
        MetadataResponseData response =
                new MetadataResponseData().setClusterId("scripted").setControllerId(1);
        nodeIds.forEach(id -> response.brokers()
                .add(new MetadataResponseData.MetadataResponseBroker()
                        .setNodeId(id)
                        .setHost("127.0.0.1")
                        .setPort(port())));
        ByteBuffer header = MessageUtil.toByteBufferAccessor(
                        new ResponseHeaderData().setCorrelationId(correlationId),
                        ApiKeys.METADATA.responseHeaderVersion(version))
                .buffer();
        ByteBuffer body = MessageUtil.toByteBufferAccessor(response, version).buffer();
        return ByteBuffer.allocate(header.remaining() + body.remaining())
                .put(header)
                .put(body)
                .flip();
    }
}
