package io.slipstream.harness;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.MetadataResponse;
import org.apache.kafka.common.requests.RequestHeader;

/** Asks a Kafka address, over one short connection, whether it really serves. */
final class KafkaProbe {
    private static final int PATIENCE_MS = 2_000;
    private static final int LARGEST_ANSWER_BYTES = 1 << 20;
    private static final short VERSION = 12;

    private KafkaProbe() {}

    /** Whether the address answers Metadata with an unfenced broker. */
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
