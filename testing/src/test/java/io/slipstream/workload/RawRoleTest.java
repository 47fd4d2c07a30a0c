// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.checker.Checker;
import io.slipstream.checker.Invariant;
import io.slipstream.history.MemoryHistory;
import io.slipstream.history.RunKind;
import io.slipstream.process.Deadline;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 1, unit = TimeUnit.MINUTES)
class RawRoleTest {
    private static final int PIPELINED = 4;
    private static final short VERSION = 12;

    @Test
    void shouldRecordAResponseThatOvertakesAnother() throws IOException, InterruptedException {
        MemoryHistory history = new MemoryHistory();
        RecordedRun run = new RecordedRun(history, RunKind.SYNTHETIC, "direct", 1, "cluster");
        CountDownLatch reordered = new CountDownLatch(2);
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> serve(server, reordered), "reordering-broker");
            thread.setDaemon(true);
            thread.start();
            ClientSettings settings = new ClientSettings("127.0.0.1:" + server.getLocalPort(), 5_000, 5_000);
            RawRole role = new RawRole(run, settings, List.of(new TopicPartition("topic", 0)), 1);
            role.start("raw");
            assertThat(reordered.await(30, TimeUnit.SECONDS)).isTrue();
            role.stop();
            assertThat(role.awaitEnd(Deadline.after(Duration.ofSeconds(20)))).isTrue();
            assertThat(role.failure()).isNull();
        }

        var report = Checker.check(history);

        assertThat(report.counts()).containsOnlyKeys("I11 reordered-response");
        assertThat(report.facts(Invariant.I11)).isPositive();
    }

    /**
     * Leads the only partition. The role asks for the leader on one connection and sends its requests on the next one,
     * where the last one is answered first.
     */
    private static void serve(ServerSocket server, CountDownLatch reordered) {
        try {
            while (true) {
                try (Socket socket = server.accept()) {
                    int correlationId = request(socket);
                    socket.getOutputStream().write(metadata(correlationId, server.getLocalPort()));
                }
                try (Socket socket = server.accept()) {
                    int last = 0;
                    for (int i = 0; i < PIPELINED; i++) {
                        last = request(socket);
                    }
                    ByteBuffer response = ByteBuffer.allocate(2 * Integer.BYTES);
                    socket.getOutputStream()
                            .write(response.putInt(Integer.BYTES).putInt(last).array());
                    reordered.countDown();
                    socket.getInputStream().read(); // until the role closes the connection
                }
            }
        } catch (IOException e) {
            // The test closes the server.
        }
    }

    /** Reads a request and returns its correlation id, which follows size, key and version. */
    private static int request(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        return ByteBuffer.wrap(in.readNBytes(in.readInt())).getInt(Integer.BYTES);
    }

    private static byte[] metadata(int correlationId, int port) {
        MetadataResponseTopic topic =
                new MetadataResponseTopic().setName("topic").setTopicId(new Uuid(1, 2));
        topic.partitions()
                .add(new MetadataResponsePartition().setPartitionIndex(0).setLeaderId(1));
        MetadataResponseData body = new MetadataResponseData();
        body.brokers()
                .add(new MetadataResponseBroker()
                        .setNodeId(1)
                        .setHost("127.0.0.1")
                        .setPort(port));
        body.topics().add(topic);
        ObjectSerializationCache cache = new ObjectSerializationCache();
        int size = Integer.BYTES + 1 + body.size(cache, VERSION);
        ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + size);
        frame.putInt(size).putInt(correlationId).put((byte) 0); // no tagged field in the header
        body.write(new ByteBufferAccessor(frame), cache, VERSION);
        return frame.array();
    }
}
