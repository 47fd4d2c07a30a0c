// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawResponse;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Prepared Kafka requests, sent one after another over raw connections in turn. */
final class KafkaExchange implements Exchange {
    /** Batches in the fetched topic; each fetch requests the next one. */
    static final int FETCHED_BATCHES = 500;

    private final RawClient[] clients;
    private final RequestFrame[] frames;
    private final int inFlight;
    private final int batchBytes;
    private long recordBytes;
    private int next;
    private int oldestSlot;

    /** @param batchBytes bytes that each request appends */
    private KafkaExchange(RawClient[] clients, RequestFrame[] frames, int inFlight, int batchBytes) {
        this.clients = clients;
        this.frames = frames;
        this.inFlight = inFlight;
        this.batchBytes = batchBytes;
    }

    /**
     * @param address {@code host:port} of the broker on the measured way
     * @param topic for produces, empty fetches and commits an exclusive topic, for FETCH one filled by {@link #fill}
     */
    static KafkaExchange open(Workload workload, String address, TopicRef topic) throws IOException {
        boolean produces = workload.kind() == Workload.Kind.PRODUCE;
        RequestFrame[] frames = switch (workload.kind()) {
            case ONE_BATCH -> fetchFrames(topic);
            case EMPTY -> new RequestFrame[] {fetchFrame(topic, 0)};
            case PRODUCE -> produceFrames(topic, workload);
            case COMMIT -> new RequestFrame[] {OffsetCommits.frame(topic)};
            default -> throw new IllegalArgumentException(workload.name());
        };
        return new KafkaExchange(
                connect(address, workload.connections()),
                frames,
                workload.inFlight(),
                produces ? batch(workload).sizeInBytes() : 0);
    }

    private static RawClient[] connect(String address, int connections) throws IOException {
        RawClient[] clients = new RawClient[connections];
        for (int i = 0; i < connections; i++) {
            clients[i] = RawClient.connect(address);
        }
        return clients;
    }

    /** Appends the batches that FETCH reads, one record each. */
    static void fill(RawClient client, TopicRef topic) throws IOException {
        RequestFrame frame = produceFrames(topic, Workload.FETCH)[0];
        for (int i = 0; i < FETCHED_BATCHES; i++) {
            client.send(frame);
            client.receive();
        }
    }

    /** One per partition. */
    private static RequestFrame[] produceFrames(TopicRef topic, Workload workload) {
        RequestFrame[] frames = new RequestFrame[workload.partitions()];
        for (int partition = 0; partition < frames.length; partition++) {
            frames[partition] = ProduceRequests.version(ProduceRequests.NEWEST, workload.acks())
                    .add(topic, partition, batch(workload))
                    .frame();
        }
        return frames;
    }

    private static MemoryRecords batch(Workload workload) {
        byte[][] values = new byte[workload.batchRecords()][workload.valueBytes()];
        return Batches.of(values);
    }

    /** A partition limit of one byte returns exactly one batch. */
    private static RequestFrame fetchFrame(TopicRef topic, long offset) {
        return FetchRequests.version(FetchRequests.NEWEST)
                .add(topic, 0, offset, 1)
                .frame();
    }

    private static RequestFrame[] fetchFrames(TopicRef topic) {
        RequestFrame[] frames = new RequestFrame[FETCHED_BATCHES];
        for (int i = 0; i < frames.length; i++) {
            frames[i] = fetchFrame(topic, i);
        }
        return frames;
    }

    /** Slots are sent in order, and their answers are taken in order. */
    @Override
    public void send(int slot) throws IOException {
        client(slot).send(frames[next]);
        next = next + 1 == frames.length ? 0 : next + 1;
    }

    @Override
    public int receive() throws IOException {
        int slot = oldestSlot;
        client(slot).receiveAndDiscard();
        recordBytes += batchBytes;
        oldestSlot = slot + 1 == inFlight ? 0 : slot + 1;
        return slot;
    }

    private RawClient client(int slot) {
        return clients[slot % clients.length];
    }

    @Override
    public long recordBytes() {
        return recordBytes;
    }

    /** Makes one exchange and checks its answer, so that the benchmark does not measure errors or empty fetches. */
    int checkedAnswerBytes(Workload workload) throws IOException {
        send(0);
        RawResponse response = client(0).receive();
        if (workload.kind() == Workload.Kind.PRODUCE) {
            ProduceAnswer.offset(response.as(ProduceResponseData.class));
        } else if (workload.kind() == Workload.Kind.COMMIT) {
            OffsetCommits.check(response.as(OffsetCommitResponseData.class));
        } else {
            checkFetched(response.as(FetchResponseData.class), workload.kind() == Workload.Kind.ONE_BATCH);
        }
        return response.frame().limit();
    }

    private static void checkFetched(FetchResponseData response, boolean expectsBatch) {
        FetchResponseData.PartitionData partition =
                response.responses().get(0).partitions().get(0);
        boolean hasBatch = partition.records() != null && partition.records().sizeInBytes() > 0;
        if (response.errorCode() != 0 || partition.errorCode() != 0 || hasBatch != expectsBatch) {
            throw new IllegalStateException("fetch answered error " + response.errorCode() + '/' + partition.errorCode()
                    + (hasBatch ? " with" : " without") + " records");
        }
    }

    @Override
    public void close() throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
    }
}
