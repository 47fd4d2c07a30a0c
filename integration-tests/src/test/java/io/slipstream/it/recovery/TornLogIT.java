// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.TempDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The agent does not change log recovery. A crash leaves partial batches in a topic's log and in the metadata log. A
 * broker with the agent then recovers the same files as a broker without it. The agent is disabled, inert, or serving.
 * All arms start from a copy of the same torn files, on the same ports and paths.
 *
 * <p>A topic's files are compared byte for byte. The metadata log differs after its torn end in every start, which
 * appends records with the time of day and a random incarnation id. Compared are its segment names, the bytes before
 * the torn end, and the epochs.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class TornLogIT {
    /** Below Kafka's public minimum of 1 MiB. */
    private static final String[] SMALL_SEGMENTS = {"internal.segment.bytes", "50000"};

    private static final int BATCHES = 100;
    private static final int MOST_VALUE_BYTES = 2_000;

    @TempDir
    private Path images;

    private final Random random = new Random(1);
    private BrokerProcess broker;
    private String properties;
    private TopicRef topic;

    /** The plugin of a broker. */
    private enum Arm {
        STOCK(false, "", null),
        DISABLED(true, "slipstream.enabled=false\n", "Slipstream is switched off"),
        INERT(true, "slipstream.no.such.key=1\n", "Slipstream is inert"),
        SERVING(true, "", "Slipstream serve");

        private final boolean agent;
        private final String keys;
        private final String says;

        Arm(boolean agent, String keys, String says) {
            this.agent = agent;
            this.keys = keys;
            this.says = says;
        }
    }

    @AfterEach
    void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    @ParameterizedTest
    @MethodSource("io.slipstream.it.Thorough#lines")
    void shouldRecoverTornLogsAsABrokerWithoutTheAgent(BrokerLine line) throws Exception {
        long tornAt = tear(line);
        Path torn = images.resolve("torn");
        TornLogs.copy(broker.logDirectory(), torn);
        for (Arm arm : Arm.values()) {
            recover(arm, torn);
        }

        TornLogs stock = new TornLogs(images.resolve(Arm.STOCK.name()), topic.name() + "-0", tornAt);
        assertThat(stock.wholeMetadata())
                .as("the metadata log before its torn end")
                .isEqualTo(new TornLogs(torn, topic.name() + "-0", tornAt).wholeMetadata());
        assertThat(stock.segments()).as("segments of the topic").hasSizeGreaterThan(3);
        for (Arm arm : Arm.values()) {
            TornLogs logs = new TornLogs(images.resolve(arm.name()), topic.name() + "-0", tornAt);
            assertThat(logs.topicFiles()).as("files of the topic, %s", arm).isEqualTo(stock.topicFiles());
            assertThat(logs.checkpoints())
                    .as("checkpoints of the topic, %s", arm)
                    .isEqualTo(stock.checkpoints());
            assertThat(logs.metadataFiles())
                    .as("files of the metadata log, %s", arm)
                    .isEqualTo(stock.metadataFiles());
            assertThat(logs.wholeMetadata()).as("the metadata log, %s", arm).isEqualTo(stock.wholeMetadata());
            assertThat(logs.metadataEpochs())
                    .as("epochs of the metadata log, %s", arm)
                    .isEqualTo(stock.metadataEpochs());
        }
    }

    /** Returns the position of the torn end in the metadata log. */
    private long tear(BrokerLine line) throws IOException {
        broker = BrokerProcess.builder(line)
                .property("log.retention.ms", "-1")
                // A controller refuses the next broker until the session of the killed one has expired.
                .property("broker.heartbeat.interval.ms", "500")
                .property("broker.session.timeout.ms", "2000")
                .start();
        properties = Files.readString(broker.directory().resolve("server.properties"));
        try (RawTopics topics = new RawTopics(broker.bootstrapServers())) {
            topic = topics.create("torn", 1, SMALL_SEGMENTS);
        }
        produce();
        broker.kill9();
        TornLogs.tear(broker.logDirectory().resolve(topic.name() + "-0"));
        return TornLogs.tear(broker.logDirectory().resolve(TornLogs.METADATA));
    }

    private void recover(Arm arm, Path torn) throws IOException {
        TempDirectory.delete(broker.logDirectory());
        TornLogs.copy(torn, broker.logDirectory());
        String directory = arm.agent ? "slipstream.directory=" + broker.slipstreamDirectory() + "\n" : "";
        Files.writeString(broker.directory().resolve("server.properties"), properties + directory + arm.keys);
        long before = Files.size(broker.log());
        broker.restartWithAgent(arm.agent);
        produce();
        broker.stop();
        if (arm.says != null) {
            assertThat(Files.readString(broker.log()).substring((int) before))
                    .as("%s", arm)
                    .contains(arm.says);
        }
        TornLogs.copy(broker.logDirectory(), images.resolve(arm.name()));
    }

    /** Writes the same batches in each arm, directly to the broker. */
    private void produce() throws IOException {
        random.setSeed(1);
        try (RawClient client = RawClient.connect(broker.bootstrapServers())) {
            for (int i = 0; i < BATCHES; i++) {
                byte[] value = new byte[random.nextInt(MOST_VALUE_BYTES)];
                random.nextBytes(value);
                client.send(ProduceRequests.version(ProduceRequests.NEWEST, -1)
                        .add(topic, 0, Batches.of(value))
                        .frame());
                client.receive();
            }
        }
    }
}
