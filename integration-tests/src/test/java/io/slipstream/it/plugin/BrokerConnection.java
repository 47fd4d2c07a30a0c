// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.plugin;

import io.slipstream.protocol.control.NonceField;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.RequestHeader;

/** A client's own TCP connection to the broker, blocking. */
final class BrokerConnection implements AutoCloseable {
    private static final int TIMEOUT_MS = 10_000;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private int correlationId;

    BrokerConnection(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(TIMEOUT_MS);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    /** Sends an ApiVersions request with that client software name, and returns the answer. */
    ApiVersionsResponse apiVersions(String softwareName) throws IOException {
        return send(new ApiVersionsRequestData().setClientSoftwareName(softwareName));
    }

    /** Sends an ApiVersions request with that nonce, as a proxy does. */
    void show(String nonce) throws IOException {
        ApiVersionsRequestData request = new ApiVersionsRequestData().setClientSoftwareName("bound-client");
        request.unknownTaggedFields().add(NonceField.of(nonce));
        if (send(request).data().errorCode() != 0) {
            throw new IOException("ApiVersions was refused");
        }
    }

    private ApiVersionsResponse send(ApiVersionsRequestData data) throws IOException {
        short version = 3;
        RequestHeader header = new RequestHeader(ApiKeys.API_VERSIONS, version, "raw", correlationId++);
        ApiVersionsRequest request = new ApiVersionsRequest(data.setClientSoftwareVersion("1.0"), version);
        ByteBuffer response = exchange(request.serializeWithHeader(header));
        response.getInt();
        return ApiVersionsResponse.parse(new org.apache.kafka.common.protocol.ByteBufferAccessor(response), version);
    }

    /** Sends a frame, from its header on, and returns the response frame, from its header on. */
    ByteBuffer exchange(ByteBuffer frame) throws IOException {
        byte[] bytes = new byte[frame.remaining()];
        frame.duplicate().get(bytes);
        out.writeInt(bytes.length);
        out.write(bytes);
        out.flush();
        byte[] response = new byte[in.readInt()];
        in.readFully(response);
        return ByteBuffer.wrap(response);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
