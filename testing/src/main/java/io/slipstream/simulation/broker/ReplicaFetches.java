// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.slipstream.simulation.Delays;
import io.slipstream.simulation.Host;
import io.slipstream.simulation.World;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.FetchRequest;

/**
 * The leader's side of replication in one broker process: fetch sessions of followers, their positions, and the fetches
 * that wait for records. It does not know on which path a Fetch came.
 */
final class ReplicaFetches {
    private static final int MOST_BATCHES = 4;
    private static final long MS = 1_000_000;

    private final World world;
    private final Host host;
    private final int node;
    private final Map<Integer, ReplicatedPartition> partitions;
    private final Map<Integer, Session> sessions = new HashMap<>();
    private final List<Waiting> waiting = new ArrayList<>();

    private static final class Session {
        int nextEpoch = 1;
        final Map<Integer, FetchRequestData.FetchPartition> partitions = new LinkedHashMap<>();
    }

    private static final class Waiting {
        final int correlationId;
        final short version;
        final int sessionId;
        final List<FetchRequestData.FetchPartition> asked;
        final Consumer<byte[]> then;

        Waiting(
                int correlationId,
                short version,
                int sessionId,
                List<FetchRequestData.FetchPartition> asked,
                Consumer<byte[]> then) {
            this.correlationId = correlationId;
            this.version = version;
            this.sessionId = sessionId;
            this.asked = asked;
            this.then = then;
        }
    }

    ReplicaFetches(World world, Host host, int node, Map<Integer, ReplicatedPartition> partitions) {
        this.world = world;
        this.host = host;
        this.node = node;
        this.partitions = partitions;
    }

    /** Handles a Fetch of a follower. It is answered when there is something, or when its time is over. */
    void handle(ByteBuffer frame, Consumer<byte[]> then) {
        short version = frame.getShort(2);
        int correlationId = frame.getInt(4);
        frame.position(10 + Math.max(0, frame.getShort(8)) + 1);
        FetchRequestData request = new FetchRequestData(new ByteBufferAccessor(frame), version);
        if (FetchRequest.replicaId(request) < 0) {
            world.violate("requests", "a Fetch of a follower names no replica");
        }
        Errors error = Errors.NONE;
        int sessionId = request.sessionId();
        List<FetchRequestData.FetchPartition> asked = List.of();
        if (request.sessionEpoch() > 0) {
            Session session = sessions.get(sessionId);
            error = session == null
                    ? Errors.FETCH_SESSION_ID_NOT_FOUND
                    : session.nextEpoch != request.sessionEpoch() ? Errors.INVALID_FETCH_SESSION_EPOCH : Errors.NONE;
            if (error == Errors.NONE) {
                session.nextEpoch++;
                asked = update(session, request);
            }
        } else {
            sessions.remove(sessionId);
            sessionId = 1 + world.random(Integer.MAX_VALUE - 1);
            Session session = new Session();
            sessions.put(sessionId, session);
            asked = update(session, request);
        }
        Waiting fetch = new Waiting(correlationId, version, sessionId, asked, then);
        if (error != Errors.NONE) {
            then.accept(encode(fetch, new FetchResponseData().setErrorCode(error.code())));
            return;
        }
        for (FetchRequestData.FetchPartition each : asked) {
            ReplicatedPartition partition = partitions.get(each.partition());
            if (error(partition, each) == Errors.NONE && diverging(partition.leaderCopy(), each) == null) {
                partition.fetched(each.fetchOffset());
            }
        }
        waiting.add(fetch);
        if (!answer(fetch, request.maxWaitMs() <= 0)) {
            world.after(request.maxWaitMs() * MS, host, () -> answer(fetch, true));
        }
    }

    private static List<FetchRequestData.FetchPartition> update(Session session, FetchRequestData request) {
        request.topics()
                .forEach(topic -> topic.partitions().forEach(each -> session.partitions.put(each.partition(), each)));
        request.forgottenTopicsData().forEach(topic -> topic.partitions().forEach(session.partitions::remove));
        return List.copyOf(session.partitions.values());
    }

    /** Records were appended, or another broker was elected. */
    void changed() {
        if (!waiting.isEmpty()) {
            world.after(
                    Delays.threadTurn(world), host, () -> List.copyOf(waiting).forEach(each -> answer(each, false)));
        }
    }

    /** Returns whether it is answered. */
    private boolean answer(Waiting fetch, boolean anyway) {
        if (!waiting.contains(fetch)) {
            return true;
        }
        List<FetchResponseData.PartitionData> answers = new ArrayList<>();
        boolean isDue = anyway;
        for (FetchRequestData.FetchPartition each : fetch.asked) {
            FetchResponseData.PartitionData read = read(partitions.get(each.partition()), each);
            isDue |= read.errorCode() != 0
                    || read.divergingEpoch().epoch() >= 0
                    || ((MemoryRecords) read.records()).sizeInBytes() > 0;
            answers.add(read);
        }
        if (isDue) {
            waiting.remove(fetch);
            FetchResponseData response = new FetchResponseData().setSessionId(fetch.sessionId);
            if (!answers.isEmpty()) {
                response.responses()
                        .add(new FetchResponseData.FetchableTopicResponse()
                                .setTopicId(Partitions.TOPIC_ID)
                                .setPartitions(answers));
            }
            fetch.then.accept(encode(fetch, response));
        }
        return isDue;
    }

    private FetchResponseData.PartitionData read(ReplicatedPartition partition, FetchRequestData.FetchPartition asked) {
        FetchResponseData.PartitionData answer = new FetchResponseData.PartitionData()
                .setPartitionIndex(asked.partition())
                .setRecords(MemoryRecords.EMPTY);
        Errors error = error(partition, asked);
        if (error != Errors.NONE) {
            return answer.setErrorCode(error.code()).setHighWatermark(-1);
        }
        PartitionCopy log = partition.leaderCopy();
        answer.setHighWatermark(log.highWatermark())
                .setLastStableOffset(log.highWatermark())
                .setLogStartOffset(log.logStartOffset());
        FetchResponseData.EpochEndOffset diverging = diverging(log, asked);
        if (diverging != null) {
            return answer.setDivergingEpoch(diverging);
        }
        ByteArrayOutputStream records = new ByteArrayOutputStream();
        int from = asked.fetchOffset() < log.endOffset()
                ? log.indexOf(asked.fetchOffset())
                : log.batches().size();
        for (int i = from; i < Math.min(from + MOST_BATCHES, log.batches().size()); i++) {
            records.writeBytes(log.batches().get(i).bytes());
        }
        return answer.setRecords(MemoryRecords.readableRecords(ByteBuffer.wrap(records.toByteArray())));
    }

    private Errors error(ReplicatedPartition partition, FetchRequestData.FetchPartition asked) {
        if (!partition.isLedBy(node)) {
            return Errors.NOT_LEADER_OR_FOLLOWER;
        } else if (asked.currentLeaderEpoch() != partition.epoch()) {
            return asked.currentLeaderEpoch() < partition.epoch()
                    ? Errors.FENCED_LEADER_EPOCH
                    : Errors.UNKNOWN_LEADER_EPOCH;
        }
        PartitionCopy log = partition.leaderCopy();
        if (asked.fetchOffset() < log.logStartOffset()
                || diverging(log, asked) == null && asked.fetchOffset() > log.endOffset()) {
            return Errors.OFFSET_OUT_OF_RANGE;
        }
        return Errors.NONE;
    }

    /** Returns where the follower's log differs, by the epoch of its last batch; null if it does not. */
    private static FetchResponseData.EpochEndOffset diverging(
            PartitionCopy log, FetchRequestData.FetchPartition asked) {
        int epoch = asked.lastFetchedEpoch();
        if (epoch < 0) {
            return null;
        }
        // Before all epochs of the log, the answer is where the first one begins.
        int floor = log.floorEpoch(epoch) < 0 ? epoch : log.floorEpoch(epoch);
        long end = log.endOfEpoch(epoch);
        return floor == epoch && end >= asked.fetchOffset()
                ? null
                : new FetchResponseData.EpochEndOffset().setEpoch(floor).setEndOffset(end);
    }

    private static byte[] encode(Waiting fetch, FetchResponseData response) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer out = ByteBuffer.allocate(5 + response.size(cache, fetch.version));
        out.putInt(fetch.correlationId).put((byte) 0);
        response.write(new ByteBufferAccessor(out), cache, fetch.version);
        return out.array();
    }
}
