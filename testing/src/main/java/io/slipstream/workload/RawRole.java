// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawResponse;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.ResponseOrderException;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.history.ClientEvent.RequestWritten;
import io.slipstream.history.ClientEvent.ResponseRead;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * Sends requests to one leader without waiting for responses in between, and records requests and responses. Of the
 * Fetches one waits for new records and one does not, and each Produce has a batch that the broker must refuse. Other
 * requests pass proxies unchanged.
 */
final class RawRole extends Role {
    private static final int ROUNDS_PER_SECOND = 5;
    private static final int ROUNDS_PER_CONNECTION = 25;
    private static final int WAIT_MS = 50;
    private static final int MAX_BYTES = 16 << 10;
    private static final short METADATA_VERSION = 12;
    private static final MemoryRecords REFUSED = Batches.withWrongCrc(Batches.of(new byte[] {1}));

    private final RecordedRun run;
    private final ClientSettings settings;
    private final List<TopicPartition> partitions;
    private final Random random;

    RawRole(RecordedRun run, ClientSettings settings, List<TopicPartition> partitions, long seed) {
        super("raw", run);
        this.run = run;
        this.settings = settings;
        this.partitions = partitions;
        random = new Random(seed ^ name().hashCode());
    }

    @Override
    Session open() {
        TopicPartition partition = partitions.get(random.nextInt(partitions.size()));
        try {
            return new Pipeline(partition, locate(partition));
        } catch (IOException e) {
            throw new DisconnectException(e.getMessage(), e);
        }
    }

    private record Leader(TopicRef topic, InetSocketAddress address) {}

    private Leader locate(TopicPartition partition) throws IOException {
        String[] addresses = settings.bootstrap().split(",");
        MetadataRequestData request = metadata(partition);
        try (RawClient client = RawClient.connect(addresses[random.nextInt(addresses.length)])
                .withTimeout(Duration.ofMillis(settings.requestTimeoutMs()))) {
            MetadataResponseData answer = client.call(METADATA_VERSION, request, MetadataResponseData.class);
            var topic = answer.topics().iterator().next();
            MetadataResponseBroker broker = topic.partitions().stream()
                    .filter(one -> one.partitionIndex() == partition.partition())
                    .map(one -> answer.brokers().find(one.leaderId()))
                    .filter(one -> one != null)
                    .findFirst()
                    .orElseThrow(() -> new LeaderNotAvailableException(partition.toString()));
            return new Leader(
                    new TopicRef(partition.topic(), topic.topicId()),
                    new InetSocketAddress(broker.host(), broker.port()));
        }
    }

    private static MetadataRequestData metadata(TopicPartition partition) {
        return new MetadataRequestData()
                .setAllowAutoTopicCreation(false)
                .setTopics(List.of(new MetadataRequestTopic().setName(partition.topic())));
    }

    /** One connection. It ends after some rounds, and when the leader is another one. */
    private final class Pipeline implements Session {
        private final TopicPartition partition;
        private final Pace pace = new Pace(ROUNDS_PER_SECOND);
        private Leader leader;
        private RawClient client;
        private int connection;
        private int rounds;
        private long end;

        Pipeline(TopicPartition partition, Leader leader) throws IOException {
            this.partition = partition;
            this.leader = leader;
            connect();
        }

        private void connect() throws IOException {
            client = RawClient.connect(leader.address).withTimeout(Duration.ofMillis(settings.requestTimeoutMs()));
            connection = run.nextConnection();
            rounds = 0;
        }

        @Override
        public void step() {
            pace.await(1);
            try {
                if (rounds++ == ROUNDS_PER_CONNECTION) {
                    client.close();
                    leader = locate(partition);
                    connect();
                }
                for (RequestFrame frame : frames()) {
                    int correlationId = client.send(frame);
                    run.recorder()
                            .record(new RequestWritten(
                                    run.recorder().nowNs(),
                                    connection,
                                    correlationId,
                                    frame.api().id,
                                    frame.version()));
                }
                while (client.unanswered() > 0) {
                    RawResponse response = client.receive();
                    read(response.correlationId(), error(response));
                }
            } catch (ResponseOrderException e) {
                read(e.correlationId(), Errors.NONE.code());
                throw new DisconnectException(e.getMessage(), e);
            } catch (IOException e) {
                throw new DisconnectException(e.getMessage(), e);
            }
        }

        private void read(int correlationId, int error) {
            run.recorder().record(new ResponseRead(run.recorder().nowNs(), connection, correlationId, error));
        }

        private List<RequestFrame> frames() {
            List<RequestFrame> frames = new ArrayList<>();
            frames.add(fetch(end, WAIT_MS));
            frames.add(fetch(random.nextLong(end + 1), 0));
            frames.add(ProduceRequests.version(12, -1)
                    .add(leader.topic, partition.partition(), REFUSED)
                    .frame());
            frames.add(RequestFrame.of(METADATA_VERSION, metadata(partition)));
            Collections.shuffle(frames, random);
            return frames;
        }

        private RequestFrame fetch(long offset, int waitMs) {
            return FetchRequests.version(12 + random.nextInt(5))
                    .minBytes(1, waitMs)
                    .add(leader.topic, partition.partition(), offset, MAX_BYTES)
                    .frame();
        }

        /** Returns the first error in the response, else 0. Takes the end of the log from a Fetch. */
        private int error(RawResponse response) {
            if (response.body() instanceof ProduceResponseData produced) {
                return worst(produced.responses().stream()
                        .flatMap(topic -> topic.partitionResponses().stream())
                        .mapToInt(answer -> answer.errorCode()));
            }
            if (response.body() instanceof FetchResponseData fetched) {
                int worst = worst(IntStream.concat(
                        IntStream.of(fetched.errorCode()),
                        fetched.responses().stream()
                                .flatMap(topic -> topic.partitions().stream())
                                .mapToInt(answer -> answer.errorCode())));
                end = worst != 0
                        ? 0
                        : fetched.responses().get(0).partitions().get(0).highWatermark();
                return worst;
            }
            return Errors.NONE.code();
        }

        private static int worst(IntStream errors) {
            return errors.filter(error -> error != 0).findFirst().orElse(0);
        }

        @Override
        public void finish() {
            // Each step reads all its responses.
        }

        @Override
        public void close() {
            try {
                client.close();
            } catch (IOException e) {
                throw new DisconnectException(e.getMessage(), e);
            }
        }
    }
}
