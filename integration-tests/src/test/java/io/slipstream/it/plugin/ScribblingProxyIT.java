// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.client.ControlClient;
import io.slipstream.broker.client.RingClient;
import io.slipstream.broker.client.RingClient.Reply;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.protocol.ring.RingFrame;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A hostile proxy announces a request and keeps writing to its bytes until the answer. The broker has default settings.
 * The log must contain the sent batch, whole and with its CRC, or nothing of it. It must contain nothing that the
 * principal may not write.
 */
@ParameterizedClass
@MethodSource("io.slipstream.it.Thorough#drawnLines")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(180)
class ScribblingProxyIT {
    private static final int REQUESTS = 400;
    /** Long enough that the broker reads it for longer than a WRITE takes. */
    private static final int VALUE_BYTES = 200_000;

    private static final int SCRIBBLE_BYTES = 64;
    private static final short ACKS_LEADER = 1;
    /** As long as the forbidden name, so that one name can overwrite the other. */
    private static final String ALLOWED = "topic-that-is-allowed";

    private static final String FORBIDDEN = "topic-not-for-anybody";

    @Parameter
    private BrokerLine line;

    private final long seed = Long.getLong("slipstream.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private BrokerProcess broker;
    private ControlClient control;
    private RingClient ring;
    private BrokerConnection connection;
    private int session;

    @BeforeParameterizedClassInvocation
    void start() throws Exception {
        broker = PluginBroker.start(BrokerProcess.builder(line)
                .property("slipstream.ring.bytes", "1048576")
                .property("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .property("allow.everyone.if.no.acl.found", "true"));
        assertThat(PluginBroker.inertLines(broker)).isEmpty();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(ALLOWED, 1, (short) 1), new NewTopic(FORBIDDEN, 1, (short) 1)))
                    .all()
                    .get(20, TimeUnit.SECONDS);
            for (String topic : List.of(ALLOWED, FORBIDDEN)) {
                Leaders.await(admin, new TopicPartition(topic, 0));
            }
            admin.createAcls(List.of(new AclBinding(
                            new ResourcePattern(ResourceType.TOPIC, FORBIDDEN, PatternType.LITERAL),
                            new AccessControlEntry("User:*", "*", AclOperation.WRITE, AclPermissionType.DENY))))
                    .all()
                    .get(20, TimeUnit.SECONDS);
        }
        control = new ControlClient(broker.pluginSocket());
        ring = new RingClient(control, 64);
        bind();
    }

    @AfterParameterizedClassInvocation
    void stop() throws Exception {
        if (ring != null) {
            connection.close();
            ring.close();
            control.close();
        }
        if (broker != null) {
            broker.close();
        }
    }

    private void bind() throws Exception {
        connection = new BrokerConnection(broker.port());
        session = ring.bind(connection::show);
    }

    @Test
    void shouldAppendWhatWasTakenOrNothing() throws Exception {
        System.out.println("ScribblingProxyIT seed " + seed);
        Map<Integer, String> sent = new HashMap<>();
        List<Integer> acknowledged = new ArrayList<>();
        int refused = 0;
        for (int i = 0; i < REQUESTS; i++) {
            String value =
                    i + "-" + Character.toString('a' + random.nextInt(26)).repeat(VALUE_BYTES);
            sent.put(i, value);
            ByteBuffer frame = ProduceFrames.frame(i, ACKS_LEADER, ALLOWED, 0, ProduceFrames.batch(value));
            Reply reply = scribbledOver(frame);
            if (reply.flags() != 0) {
                connection.close();
                bind();
            }
            if (reply.flags() == 0 && ProduceFrames.answer(reply.payload(), i).errorCode() == Errors.NONE.code()) {
                acknowledged.add(i);
            } else {
                refused++;
            }
        }
        System.out.println(acknowledged.size() + " requests appended, " + refused + " refused");

        assertThat(appended(sent)).containsExactlyElementsOf(acknowledged);
        assertThat(acknowledged)
                .as("requests that the broker accepted unchanged")
                .isNotEmpty();
        assertThat(Files.size(PluginBroker.segments(broker, FORBIDDEN).get(0))).isZero();
    }

    /**
     * Writes the frame to the ring, and alternates its bytes between the original and a change until the answer
     * arrives.
     */
    private Reply scribbledOver(ByteBuffer frame) {
        int payload = ring.nextOffset(frame.remaining()) + RingFrame.HEADER_BYTES;
        int at;
        byte[] other;
        if (random.nextInt(4) == 0) {
            at = indexOf(frame, ALLOWED);
            other = FORBIDDEN.getBytes(StandardCharsets.UTF_8);
        } else {
            at = frame.remaining() - SCRIBBLE_BYTES - random.nextInt(VALUE_BYTES / 2);
            other = new byte[SCRIBBLE_BYTES];
        }
        ByteBuffer original = frame.slice(at, other.length);
        long sequence = ring.send(session, frame);
        do {
            ring.scribble(payload + at, ByteBuffer.wrap(other));
            ring.scribble(payload + at, original);
        } while (!ring.isAnswered(sequence));
        return ring.await(sequence);
    }

    private static int indexOf(ByteBuffer frame, String text) {
        byte[] bytes = new byte[frame.remaining()];
        frame.duplicate().get(bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
    }

    /** Returns the numbers of the values in the log, after a check that each batch is valid and was sent. */
    private List<Integer> appended(Map<Integer, String> sent) throws Exception {
        List<Integer> numbers = new ArrayList<>();
        byte[] log = Files.readAllBytes(PluginBroker.segments(broker, ALLOWED).get(0));
        for (RecordBatch batch :
                MemoryRecords.readableRecords(ByteBuffer.wrap(log)).batches()) {
            batch.ensureValid();
            for (Record record : batch) {
                String value = StandardCharsets.UTF_8.decode(record.value()).toString();
                int number = Integer.parseInt(value.substring(0, value.indexOf('-')));
                assertThat(value.equals(sent.get(number))).as("value " + number).isTrue();
                numbers.add(number);
            }
        }
        return numbers;
    }
}
