// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.MetadataResponse;
import org.apache.kafka.common.requests.RequestHeader;

/** Probes over one short connection whether a Kafka address serves requests. */
final class KafkaProbe {
    private static final int PATIENCE_MS = 2_000;
    private static final int LARGEST_ANSWER_BYTES = 1 << 20;
    private static final short VERSION = 12;

    private KafkaProbe() {}

    /** Returns whether a process accepts connections on the port. */
    static boolean accepts(String host, int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), PATIENCE_MS);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** As {@link #serves(String, int)} for a secured address: connects the stock client with these settings. */
    static boolean serves(String bootstrapServers, Map<String, Object> admin) {
        Map<String, Object> settings = new HashMap<>(admin);
        settings.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        // close() waits for pending requests.
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, PATIENCE_MS);
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, PATIENCE_MS);
        try (Admin client = Admin.create(settings)) {
            return !client.describeCluster()
                    .nodes()
                    .get(PATIENCE_MS, TimeUnit.MILLISECONDS)
                    .isEmpty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException notYet) {
            return false;
        }
    }

    /** Returns whether the address answers Metadata with an unfenced broker. */
    static boolean serves(String host, int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), PATIENCE_MS);
            socket.setSoTimeout(PATIENCE_MS);
            RequestHeader header = new RequestHeader(ApiKeys.METADATA, VERSION, "slipstream-probe", 1);
            ByteBuffer body = new MetadataRequest(new MetadataRequestData().setTopics(List.of()), VERSION)
                    .serializeWithHeader(header);
            ByteBuffer frame = ByteBuffer.allocate(4 + body.remaining())
                    .putInt(body.remaining())
                    .put(body);
            socket.getOutputStream().write(frame.array());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            int sizeBytes = in.readInt();
            if (sizeBytes < 0 || sizeBytes > LARGEST_ANSWER_BYTES) {
                return false;
            }
            byte[] answer = new byte[sizeBytes];
            in.readFully(answer);
            MetadataResponse response =
                    (MetadataResponse) AbstractResponse.parseResponse(ByteBuffer.wrap(answer), header);
            return !response.brokers().isEmpty();
        } catch (IOException notYet) {
            return false;
        }
    }
}
