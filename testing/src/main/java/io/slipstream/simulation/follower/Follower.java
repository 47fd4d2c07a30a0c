// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.follower;

import io.slipstream.broker.config.TopicSet;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.replication.FetchCall;
import io.slipstream.replication.Fetcher;
import io.slipstream.replication.LeaderSession;
import io.slipstream.replication.ReplicationMeters;
import io.slipstream.simulation.Delays;
import io.slipstream.simulation.Host;
import io.slipstream.simulation.World;
import io.slipstream.simulation.broker.PartitionCopy;
import io.slipstream.simulation.broker.Partitions;
import io.slipstream.simulation.broker.Replicas;
import io.slipstream.simulation.broker.ReplicatedPartition;
import io.slipstream.simulation.rdma.Fabric;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.FetchSessionHandler;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.utils.internals.LogContext;

/**
 * Kafka's fetcher thread in one life of a broker process. It follows the other broker by the shipped {@link Fetcher}.
 * If that answers null, it uses its own connection, as Kafka's sender does. Fetch sessions are those of Kafka's class.
 */
public final class Follower {
    private static final short VERSION = 17;
    private static final int WAIT_MS = 20;
    /** Of the first fetches, in which a session is bound. */
    private static final int FIRST_WAIT_MS = 1;

    private static final int FIRST_FETCHES = 10;

    private static final int MOST_BYTES = 1 << 16;
    private static final long BACKOFF_NS = 200_000;
    /** One fetch in so many finds its connection closed, as after an idle time. */
    private static final int CLOSED_ONE_IN = 60;
    /** One fetch in so many loses its link, if links may break. */
    private static final int CUT_ONE_IN = 8;

    private final World world;
    private final Host host;
    private final int node;
    private final int leader;
    private final Replicas replicas;
    private final boolean breaksLinks;
    private final FollowerLink link;
    private final FollowerConnection connection;
    private final ReplicationMeters meters = new ReplicationMeters(new PluginMeters().registry);
    /** Null while there is nothing to follow. */
    private Fetcher fetcher;

    private FetchSessionHandler sessions;
    private Map<Integer, Asked> asked = Map.of();
    private int correlationId;
    private boolean busy;
    private boolean closed;
    private int byRdma;
    private boolean usesRdma;

    private record Asked(ReplicatedPartition partition, int epoch, long offset) {}

    public Follower(
            World world,
            Host host,
            Fabric fabric,
            int node,
            Partitions leader,
            Replicas replicas,
            int replyRingBytes,
            boolean breaksLinks) {
        this.world = world;
        this.host = host;
        this.node = node;
        this.leader = leader.node();
        this.replicas = replicas;
        this.breaksLinks = breaksLinks;
        this.link = new FollowerLink(world, host, fabric, leader.node(), replyRingBytes);
        this.connection = new FollowerConnection(world, host, leader, replicas);
        replicas.all().forEach(each -> each.onElected(this::wake));
        wake();
    }

    public Host host() {
        return host;
    }

    /** There may be something to follow. */
    private void wake() {
        if (!busy && !closed) {
            busy = true;
            next(Delays.threadTurn(world));
        }
    }

    private void next(long delayNs) {
        world.after(delayNs, host, this::fetch);
    }

    private void fetch() {
        asked = new LinkedHashMap<>();
        if (!closed) {
            for (ReplicatedPartition each : replicas.all()) {
                if (each.follower() == node) {
                    asked.put(
                            each.partition(),
                            new Asked(each, each.epoch(), each.copyAt(node).endOffset()));
                }
            }
        }
        if (asked.isEmpty()) {
            busy = false;
            stopFetcher();
            return;
        }
        startFetcher();
        FetchSessionHandler.Builder session = sessions.newBuilder();
        asked.forEach((number, each) -> session.add(partition(number), wanted(each)));
        FetchSessionHandler.FetchRequestData data = session.build();
        FetchRequest.Builder request = FetchRequest.Builder.forReplica(
                        VERSION,
                        node,
                        1,
                        byRdma == 0 && correlationId < FIRST_FETCHES ? FIRST_WAIT_MS : WAIT_MS,
                        1,
                        data.toSend())
                .setMaxBytes(MOST_BYTES)
                .removed(data.toForget())
                .replaced(data.toReplace())
                .metadata(data.metadata());
        FetchCall call = fetcher.begin(request);
        if (call == null) {
            ended(null, request);
            return;
        }
        link.waits.whenOver(() -> ended(call, request));
        if (replicas.losesByChance(CLOSED_ONE_IN)) {
            connection.end();
        } else if (breaksLinks && replicas.losesByChance(CUT_ONE_IN)) {
            link.cutControl();
        }
    }

    private static TopicPartition partition(int number) {
        return new TopicPartition(Partitions.TOPIC, number);
    }

    private FetchRequest.PartitionData wanted(Asked each) {
        PartitionCopy copy = each.partition.copyAt(node);
        int last = copy.lastEpoch();
        return new FetchRequest.PartitionData(
                Partitions.TOPIC_ID,
                each.offset,
                copy.logStartOffset(),
                MOST_BYTES,
                Optional.of(each.epoch),
                last < 0 ? Optional.empty() : Optional.of(last));
    }

    /** The shipped code has an answer, or Kafka's sender sends the same request in the same call. */
    private void ended(FetchCall call, FetchRequest.Builder builder) {
        ClientResponse response = fetcher.end(call);
        usesRdma = response != null;
        if (closed) {
            return;
        } else if (response != null) {
            byRdma++;
            world.trace(() -> "follower " + node + ": answer by RDMA");
            answered((FetchResponse) response.responseBody());
            return;
        }
        FetchRequest request = builder.build(VERSION);
        RequestHeader header = new RequestHeader(ApiKeys.FETCH, VERSION, "broker-" + node, ++correlationId);
        connection.fetch(request.serializeWithHeader(header), answer -> {
            world.trace(() -> "follower " + node + ": answer over TCP: " + (answer != null));
            if (answer == null) {
                sessions.handleError(new DisconnectException());
                next(BACKOFF_NS);
            } else {
                answered((FetchResponse) AbstractResponse.parseResponse(ByteBuffer.wrap(answer), header));
            }
        });
    }

    private void answered(FetchResponse response) {
        boolean isWell = sessions.handleResponse(response, VERSION);
        if (isWell) {
            for (Map.Entry<TopicPartition, FetchResponseData.PartitionData> each :
                    response.responseData(sessions.sessionTopicNames(), VERSION).entrySet()) {
                Asked fetched = asked.get(each.getKey().partition());
                isWell &= fetched == null || apply(fetched, each.getValue());
            }
        }
        next(isWell ? Delays.threadTurn(world) : BACKOFF_NS);
    }

    /** Returns false after an error. An answer to an earlier state of the partition has no effect. */
    private boolean apply(Asked fetched, FetchResponseData.PartitionData answer) {
        ReplicatedPartition partition = fetched.partition;
        PartitionCopy copy = partition.copyAt(node);
        if (partition.follower() != node || partition.epoch() != fetched.epoch || copy.endOffset() != fetched.offset) {
            return true;
        } else if (answer.errorCode() == Errors.OFFSET_OUT_OF_RANGE.code()) {
            copy.restartAt(partition.leaderCopy().logStartOffset());
            return false;
        } else if (answer.errorCode() != 0) {
            return false;
        } else if (FetchResponse.isDivergingEpoch(answer)) {
            FetchResponseData.EpochEndOffset end = answer.divergingEpoch();
            copy.truncateTo(Math.min(end.endOffset(), copy.endOfEpoch(end.epoch())));
            return true;
        }
        ByteBuffer records = ((MemoryRecords) answer.records()).buffer().duplicate();
        while (records.hasRemaining()) {
            byte[] batch = new byte[records.getInt(records.position() + 8) + 12];
            records.get(batch);
            copy.appendReplica(batch);
        }
        copy.advance(answer.highWatermark(), answer.logStartOffset());
        return true;
    }

    private void startFetcher() {
        if (fetcher == null) {
            sessions = new FetchSessionHandler(new LogContext(), leader);
            LeaderSession session = new LeaderSession(link.waits, link.link, connection, leader, 0);
            fetcher = new Fetcher(session, "broker-" + node + "-fetcher-0", TopicSet.NONE, null, meters);
        }
    }

    /** As Kafka shuts a fetcher down that has no partitions left. */
    private void stopFetcher() {
        if (fetcher != null) {
            fetcher.close();
            fetcher = null;
            connection.end();
        }
    }

    /** The control connection ends. */
    public void cutControl() {
        if (host.isAlive()) {
            link.cutControl();
        }
    }

    /** The process is killed; its connections end. */
    public void kill() {
        closed = true;
        link.kill();
        connection.end();
    }

    /** Ends replication, as at a broker's shutdown. The thread that waits learns of it. */
    public void close() {
        closed = true;
        if (fetcher != null) {
            fetcher.close();
            connection.end();
        }
    }

    /** Ends its link, some time after {@link #close}. */
    public void closeLink() {
        link.close();
    }

    /** Returns whether it follows nothing, or by RDMA. */
    public boolean isWell() {
        return fetcher == null || usesRdma;
    }

    public int byRdma() {
        return byRdma;
    }

    public String residue() {
        return link.residue();
    }

    public void release() {
        link.release();
    }
}
