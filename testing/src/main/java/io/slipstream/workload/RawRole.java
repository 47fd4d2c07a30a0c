// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.ResponseOrderException;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.history.ClientEvent.RequestWritten;
import io.slipstream.history.ClientEvent.ResponseRead;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * Sends requests to a leader without waiting for responses in between, and records requests and responses. Of the
 * Fetches one waits for new records and one does not, each Produce has a batch that the broker must refuse, and a
 * Metadata request passes proxies unchanged.
 */
final class RawRole extends Role {
    private static final int ROUNDS_PER_SECOND = 5;
    private static final int ROUNDS_PER_CONNECTION = 10;
    private static final int WAIT_MS = 50;
    private static final int MAX_BYTES = 16 << 10;
    private static final short METADATA_VERSION = 12;
    private static final MemoryRecords REFUSED = Batches.withWrongCrc(Batches.of(new byte[] {1}));

    private final RecordedRun run;
    private final ClientSettings settings;
    private final List<TopicPartition> partitions;
    private final Random random;
    private final Pace pace = new Pace(ROUNDS_PER_SECOND);

    RawRole(RecordedRun run, ClientSettings settings, List<TopicPartition> partitions, long seed) {
        super("raw", run);
        this.run = run;
        this.settings = settings;
        this.partitions = partitions;
        random = new Random(seed ^ name().hashCode());
    }

    @Override
    Session open() {
        return new Session() {
            @Override
            public void step() {
                try {
                    pipeline(partitions.get(random.nextInt(partitions.size())));
                } catch (IOException e) {
                    throw new DisconnectException(e.getMessage(), e);
                }
            }

            @Override
            public void finish() {
                // Each step reads all its responses.
            }

            @Override
            public void close() {
                // Each step closes its connections.
            }
        };
    }

    /** Sends some rounds of requests over one connection to the partition's leader. */
    private void pipeline(TopicPartition partition) throws IOException {
        String[] bootstraps = settings.bootstrap().split(",");
        MetadataResponseData answer;
        try (RawClient client = connect(bootstraps[random.nextInt(bootstraps.length)])) {
            answer = client.call(METADATA_VERSION, metadata(partition), MetadataResponseData.class);
        }
        MetadataResponseTopic topic = answer.topics().iterator().next();
        String leader = topic.partitions().stream()
                .filter(one -> one.partitionIndex() == partition.partition())
                .flatMap(one -> answer.brokers().stream().filter(broker -> broker.nodeId() == one.leaderId()))
                .map(broker -> broker.host() + ":" + broker.port())
                .findFirst()
                .orElseThrow(() -> new LeaderNotAvailableException(partition.toString()));
        TopicRef ref = new TopicRef(partition.topic(), topic.topicId());
        int connection = run.nextConnection();
        long end = 0;
        try (RawClient client = connect(leader)) {
            for (int round = 0; round < ROUNDS_PER_CONNECTION; round++) {
                pace.await(1);
                end = round(client, connection, ref, partition, end);
            }
        }
    }

    private RawClient connect(String address) throws IOException {
        return RawClient.connect(address).withTimeout(Duration.ofMillis(settings.requestTimeoutMs()));
    }

    private static MetadataRequestData metadata(TopicPartition partition) {
        return new MetadataRequestData()
                .setAllowAutoTopicCreation(false)
                .setTopics(List.of(new MetadataRequestTopic().setName(partition.topic())));
    }

    /** Returns the high watermark in the last Fetch response, 0 if it was an error. */
    private long round(RawClient client, int connection, TopicRef topic, TopicPartition partition, long end)
            throws IOException {
        List<RequestFrame> frames = Arrays.asList(
                fetch(topic, partition, end, WAIT_MS),
                fetch(topic, partition, random.nextLong(end + 1), 0),
                ProduceRequests.version(12, -1)
                        .add(topic, partition.partition(), REFUSED)
                        .frame(),
                RequestFrame.of(METADATA_VERSION, metadata(partition)));
        Collections.shuffle(frames, random);
        for (RequestFrame frame : frames) {
            int correlationId = client.send(frame);
            run.recorder()
                    .record(new RequestWritten(
                            run.recorder().nowNs(), connection, correlationId, frame.api().id, frame.version()));
        }
        long highWatermark = end;
        while (client.unanswered() > 0) {
            try {
                var response = client.receive();
                read(connection, response.correlationId(), error(response.body()));
                if (response.body() instanceof FetchResponseData fetched) {
                    highWatermark = error(fetched) != 0 ? 0 : only(fetched).highWatermark();
                }
            } catch (ResponseOrderException e) {
                read(connection, e.correlationId(), 0);
                throw new IOException(e);
            }
        }
        return highWatermark;
    }

    private RequestFrame fetch(TopicRef topic, TopicPartition partition, long offset, int waitMs) {
        return FetchRequests.version(12 + random.nextInt(5))
                .minBytes(1, waitMs)
                .add(topic, partition.partition(), offset, MAX_BYTES)
                .frame();
    }

    private void read(int connection, int correlationId, int error) {
        run.recorder().record(new ResponseRead(run.recorder().nowNs(), connection, correlationId, error));
    }

    private static int error(ApiMessage body) {
        if (body instanceof ProduceResponseData produced) {
            return produced.responses()
                    .iterator()
                    .next()
                    .partitionResponses()
                    .get(0)
                    .errorCode();
        }
        if (body instanceof FetchResponseData fetched) {
            return fetched.errorCode() != 0
                    ? fetched.errorCode()
                    : only(fetched).errorCode();
        }
        return 0;
    }

    private static PartitionData only(FetchResponseData fetched) {
        return fetched.responses().get(0).partitions().get(0);
    }
}
