// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.slipstream.protocol.control.AbortedTransaction;
import io.slipstream.simulation.Host;
import io.slipstream.simulation.World;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** A Fetch over TCP, answered from the model. The broker keeps no fetch sessions. */
final class BrokerFetch {
    private static final int MOST_BATCHES = 3;
    private static final long MS = 1_000_000;

    private final World world;
    private final Partitions partitions;
    private final int connection;
    private final int correlationId;
    private final short version;
    private final FetchRequestData request;

    BrokerFetch(World world, Partitions partitions, int connection, byte[] frame) {
        this.world = world;
        this.partitions = partitions;
        this.connection = connection;
        ByteBuffer bytes = ByteBuffer.wrap(frame);
        version = bytes.getShort(2);
        correlationId = bytes.getInt(4);
        bytes.position(10 + Math.max(0, bytes.getShort(8)) + 1);
        request = new FetchRequestData(new ByteBufferAccessor(bytes), version);
    }

    /** Answers now, or if there is nothing, after a wait. */
    void answer(Host host, Consumer<byte[]> then) {
        FetchResponseData now = read();
        boolean any = now.errorCode() != 0
                || now.responses().stream()
                        .flatMap(topic -> topic.partitions().stream())
                        .anyMatch(each -> each.errorCode() != 0 || ((MemoryRecords) each.records()).sizeInBytes() > 0);
        if (any || request.maxWaitMs() <= 0) {
            then.accept(encode(now));
        } else {
            world.after(Math.min(request.maxWaitMs(), 2) * MS, host, () -> then.accept(encode(read())));
        }
    }

    private FetchResponseData read() {
        FetchResponseData response = new FetchResponseData();
        if (request.sessionId() != 0 && request.sessionEpoch() > 0) {
            return response.setErrorCode(Errors.FETCH_SESSION_ID_NOT_FOUND.code());
        }
        for (FetchRequestData.FetchTopic topic : request.topics()) {
            List<FetchResponseData.PartitionData> answers = new ArrayList<>();
            for (FetchRequestData.FetchPartition asked : topic.partitions()) {
                answers.add(read(partitions.log(asked.partition()), asked));
            }
            response.responses()
                    .add(new FetchResponseData.FetchableTopicResponse()
                            .setTopicId(topic.topicId())
                            .setPartitions(answers));
        }
        return response;
    }

    private FetchResponseData.PartitionData read(ModelLog log, FetchRequestData.FetchPartition asked) {
        FetchResponseData.PartitionData answer =
                new FetchResponseData.PartitionData().setPartitionIndex(asked.partition());
        Errors error = error(log, asked);
        if (error != Errors.NONE) {
            return answer.setErrorCode(error.code()).setHighWatermark(-1).setRecords(MemoryRecords.EMPTY);
        }
        boolean committed = request.isolationLevel() == 1;
        ModelLog.Watermarks now = log.watermarks();
        long limit = committed ? now.lastStableOffset() : now.highWatermark();
        ByteArrayOutputStream records = new ByteArrayOutputStream();
        long next = asked.fetchOffset();
        for (int i = 0; i < MOST_BATCHES; i++) {
            LoggedBatch batch = log.at(next);
            if (batch == null || batch.lastOffset() >= limit) {
                break;
            }
            records.writeBytes(batch.bytes());
            next = batch.lastOffset() + 1;
        }
        return answer.setHighWatermark(now.highWatermark())
                .setLastStableOffset(now.lastStableOffset())
                .setLogStartOffset(now.logStartOffset())
                .setAbortedTransactions(committed ? aborted(log, asked.fetchOffset(), next) : null)
                .setRecords(MemoryRecords.readableRecords(ByteBuffer.wrap(records.toByteArray())));
    }

    private Errors error(ModelLog log, FetchRequestData.FetchPartition asked) {
        int epoch = asked.currentLeaderEpoch();
        if (!partitions.rights().mayRead(connection)) {
            return Errors.TOPIC_AUTHORIZATION_FAILED;
        } else if (!log.isLeading()) {
            return Errors.NOT_LEADER_OR_FOLLOWER;
        } else if (epoch >= 0 && epoch != log.leaderEpoch()) {
            return epoch < log.leaderEpoch() ? Errors.FENCED_LEADER_EPOCH : Errors.UNKNOWN_LEADER_EPOCH;
        } else if (asked.fetchOffset() < log.logStartOffset() || asked.fetchOffset() > log.endOffset()) {
            return Errors.OFFSET_OUT_OF_RANGE;
        }
        return Errors.NONE;
    }

    private static List<FetchResponseData.AbortedTransaction> aborted(ModelLog log, long from, long to) {
        List<FetchResponseData.AbortedTransaction> listed = new ArrayList<>();
        for (AbortedTransaction each : log.aborted()) {
            if (each.lastOffset() >= from && each.firstOffset() < to) {
                listed.add(new FetchResponseData.AbortedTransaction()
                        .setProducerId(each.producerId())
                        .setFirstOffset(each.firstOffset()));
            }
        }
        return listed;
    }

    private byte[] encode(FetchResponseData response) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer out = ByteBuffer.allocate(5 + response.size(cache, version));
        out.putInt(correlationId).put((byte) 0);
        response.write(new ByteBufferAccessor(out), cache, version);
        return out.array();
    }
}
