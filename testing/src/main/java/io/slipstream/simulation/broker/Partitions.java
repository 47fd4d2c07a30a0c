// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.slipstream.broker.fetch.Located;
import io.slipstream.broker.fetch.RefusedException;
import io.slipstream.broker.ring.RingFrameIn;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.simulation.Delays;
import io.slipstream.simulation.World;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.common.Uuid;

/**
 * A broker behind the plugin, over all its lives: appends, replication and purgatory.
 */
public final class Partitions {
    public static final String TOPIC = "sensors";
    public static final Uuid TOPIC_ID = new Uuid(0x51, 0x71);
    private static final short ALL = -1;
    private static final int MARKER_BYTES = 17;
    private static final long COORDINATOR_NS = 300_000;

    private final World world;
    private final List<ModelLog> logs = new ArrayList<>();
    private final List<Waiting> purgatory = new ArrayList<>();
    /** By connection: the correlation id of the newest handled request. */
    private final Map<Integer, Integer> newestOfConnection = new HashMap<>();

    /** By connection: the correlation id of a request that is not answered and must be alone. */
    private final Map<Integer, Integer> aloneOfConnection = new HashMap<>();

    private final Map<Long, byte[]> answers = new HashMap<>();
    private final Set<Long> overTcp = new HashSet<>();
    private Function<Long, byte[]> sentFrames = key -> null;
    private Broker broker;
    private int throttlePercent;
    /** The partition that the broker's settings exclude from RDMA for reading; -1 for none. */
    private int excluded = -1;

    private int handlerNs = 1;
    private Replicas replicas;
    private final Rights rights;
    private final Books books;
    private final int node;
    private final int first;

    private record Waiting(ModelLog log, long lastOffset, int epoch, Consumer<Short> then) {}

    /** @param first number of the first of so many partitions that the broker leads */
    public Partitions(World world, Rights rights, int node, int first, int count, int segmentBytes, long quotaBytes) {
        this.world = world;
        this.rights = rights;
        this.books = new Books(rights, quotaBytes);
        this.node = node;
        this.first = first;
        for (int i = 0; i < count; i++) {
            logs.add(new ModelLog(world, TOPIC, TOPIC_ID, first + i, segmentBytes));
        }
    }

    /** Those of the cluster, with the second copies. */
    public void replicas(Replicas all) {
        replicas = all;
    }

    Replicas replicas() {
        return replicas;
    }

    /** RDMA does not serve that partition. */
    public void exclude(int partition) {
        excluded = partition;
    }

    public int node() {
        return node;
    }

    /** Returns the log of the partition, which this broker leads. */
    public ModelLog log(int partition) {
        return logs.get(partition - first);
    }

    public List<ModelLog> logs() {
        return logs;
    }

    int fetchMaxBytes() {
        return 1 << 20;
    }

    void started(Broker started, Hooks hooks) {
        broker = started;
        logs.forEach(log -> log.loaded(hooks));
        replicas.started(node);
    }

    /** Sets the lookup of sent frames, by connection and correlation id. */
    public void sentFrames(Function<Long, byte[]> lookUp) {
        sentFrames = lookUp;
    }

    public void throttlePercent(int percent) {
        throttlePercent = percent;
    }

    public void handlerNs(int most) {
        handlerNs = most;
    }

    /** Returns the time that the broker's thread takes for a request. */
    long handlerNs() {
        return Delays.threadTurn(world) + world.random(handlerNs);
    }

    boolean throttles() {
        return world.chance(throttlePercent);
    }

    public Books books() {
        return books;
    }

    public Rights rights() {
        return rights;
    }

    public static long key(int connection, int correlationId) {
        return (long) connection << 32 | correlationId;
    }

    /** Returns the broker's answer to the request, for comparison with the received one. */
    public byte[] answerTo(int connection, int correlationId) {
        return answers.get(key(connection, correlationId));
    }

    void handledOverTcp(int connection, int correlationId) {
        overTcp.add(key(connection, correlationId));
    }

    /** Returns whether the broker got the request on the client's own connection. */
    public boolean wasHandledOverTcp(int connection, int correlationId) {
        return overTcp.contains(key(connection, correlationId));
    }

    /** Checks that a client has sent exactly this request. */
    boolean wasSent(ProduceFrames.Decoded request, byte[] frame) {
        boolean sent = Arrays.equals(sentFrames.apply(key(request.connection(), request.correlationId())), frame);
        if (!sent) {
            world.violate("requests", "request " + request.correlationId() + " falls back with other bytes");
        }
        return sent;
    }

    /** A request reached the handler thread. It must equal, byte for byte, a request of this session's client. */
    void onLanded(int sessionConnection, RingFrameIn frame) {
        ByteBuffer payload = frame.payload();
        int connection = KafkaEnd.connectionOf(payload);
        int correlationId = payload.getInt(4);
        byte[] sent = sentFrames.apply(key(connection, correlationId));
        if (sent == null || !payload.duplicate().rewind().equals(ByteBuffer.wrap(sent))) {
            world.violate(
                    "requests",
                    "request " + correlationId + " of connection " + connection
                            + " landed with other bytes than were sent");
        } else if (connection != sessionConnection) {
            world.violate(
                    "sessions",
                    "a request of connection " + connection + " is handled as connection " + sessionConnection);
        }
    }

    /** Checks that a connection's requests are handled in order, on whichever path they came. */
    boolean isInOrder(int connection, int correlationId) {
        Integer last = newestOfConnection.put(connection, correlationId);
        Integer alone = aloneOfConnection.get(connection);
        if (alone != null) {
            world.violate(
                    "order",
                    "request " + correlationId + " of connection " + connection + " is handled before request " + alone
                            + " is answered");
            return false;
        }
        if (last != null && last >= correlationId) {
            world.violate(
                    "order",
                    "request " + correlationId + " of connection " + connection + " is handled after request " + last);
            return false;
        }
        return true;
    }

    /** The connection's other requests must wait until {@link #endAlone}. */
    void beginAlone(int connection, int correlationId) {
        if (isInOrder(connection, correlationId)) {
            aloneOfConnection.put(connection, correlationId);
        }
    }

    void endAlone(int connection) {
        aloneOfConnection.remove(connection);
    }

    /** Handles a Produce from either path. */
    public void produce(ProduceFrames.Decoded request, ByteBuffer frame, Consumer<byte[]> then) {
        if (!isInOrder(request.connection(), request.correlationId())) {
            return;
        }
        byte[] batch = new byte[request.recordsBytes()];
        frame.get(request.recordsStart(), batch);
        ByteBuffer fields = ByteBuffer.wrap(batch);
        if (Batch.crc(batch, 0, batch.length) != fields.getInt(17)) {
            world.violate("requests", "a batch arrived whose checksum does not fit");
            return;
        }
        append(request, batch, fields, (error, offset) -> {
            int filler = world.random(4) == 0 ? world.random(700) : world.random(30);
            byte[] answer = ProduceFrames.answer(request.correlationId(), error, offset, filler);
            answers.put(key(request.connection(), request.correlationId()), answer);
            then.accept(answer);
        });
    }

    private interface Outcome {
        void is(short error, long baseOffset);
    }

    private void append(ProduceFrames.Decoded request, byte[] batch, ByteBuffer fields, Outcome outcome) {
        ModelLog log = log(request.partition());
        if (!log.isLeading()) {
            outcome.is(ProduceFrames.NOT_LEADER, -1);
            return;
        }
        int producer = (int) fields.getLong(43);
        int sequence = fields.getInt(53);
        LoggedBatch newest = log.newest(producer);
        LoggedBatch logged;
        if (request.acks() == ALL && newest != null && sequence <= newest.sequence()) {
            logged = find(log, producer, sequence);
            if (logged == null) {
                // The batch is deleted but known to have been committed.
                outcome.is(ProduceFrames.ERROR_NONE, -1);
                return;
            }
        } else if (request.acks() == ALL && sequence != (newest == null ? 0 : newest.sequence() + 1)) {
            outcome.is(ProduceFrames.OUT_OF_ORDER_SEQUENCE, -1);
            return;
        } else {
            logged = log.append(batch, producer, sequence, fields.getInt(57));
            replicate(log);
        }
        if (request.acks() != ALL || log.highWatermark() > logged.lastOffset()) {
            outcome.is(ProduceFrames.ERROR_NONE, logged.baseOffset());
            return;
        }
        purgatory.add(new Waiting(
                log, logged.lastOffset(), log.leaderEpoch(), error -> outcome.is(error, logged.baseOffset())));
    }

    private void replicate(ModelLog log) {
        if (replicas.has(log)) {
            replicas.changed(log);
            return;
        }
        long end = log.endOffset();
        int epoch = log.leaderEpoch();
        world.after(replicationNs(), null, () -> replicated(log, end, epoch));
    }

    private long replicationNs() {
        return world.random(8) == 0 ? world.random(2_000_000) : 5_000 + world.random(60_000);
    }

    private static LoggedBatch find(ModelLog log, int producer, int sequence) {
        return log.batches().stream()
                .filter(batch -> batch.producerId() == producer && batch.sequence() == sequence)
                .findFirst()
                .orElse(null);
    }

    private void replicated(ModelLog log, long end, int epoch) {
        if (!broker.host().isAlive() || log.leaderEpoch() != epoch || !log.isLeading()) {
            return;
        }
        if (broker.host().isStoppedAt(world.nowNs())) {
            world.after(100_000, null, () -> replicated(log, end, epoch));
            return;
        }
        log.commit(end);
        onCommitted();
    }

    /** A high watermark or a leader has changed. */
    void onCommitted() {
        settle();
        broker.poke();
    }

    /** Answers requests whose batches the replicas have. */
    private void settle() {
        for (Iterator<Waiting> all = purgatory.iterator(); all.hasNext(); ) {
            Waiting waiting = all.next();
            boolean lost = !waiting.log.isLeading() || waiting.log.leaderEpoch() != waiting.epoch;
            if (lost || waiting.log.highWatermark() > waiting.lastOffset) {
                all.remove();
                waiting.then.accept(lost ? ProduceFrames.NOT_LEADER : ProduceFrames.ERROR_NONE);
            }
        }
    }

    Located locate(int connection, boolean isAllowed, ControlRequest.Locate request) {
        ModelLog log = log(request.partition());
        boolean mayRead = isAllowed || rights.mayRead(connection);
        if (request.partition() == excluded || !mayRead || !log.isLeading()) {
            throw new RefusedException(ControlError.NOT_READABLE, "excluded, not the leader, or not authorized");
        } else if (request.currentLeaderEpoch() >= 0 && request.currentLeaderEpoch() != log.leaderEpoch()) {
            throw new RefusedException(ControlError.NOT_READABLE, "leader epoch is " + log.leaderEpoch());
        } else if (request.fetchOffset() < log.logStartOffset() || request.fetchOffset() > log.highWatermark()) {
            throw new RefusedException(ControlError.NOT_READABLE, "offset out of range");
        }
        return log.locate(request.fetchOffset());
    }

    // Events of the broker.

    /** Another broker leads the partition; later this one follows it, and then leads again. */
    public void moveLeadership(ModelLog log, Batch appendedElsewhere) {
        if (replicas.has(log)) {
            replicas.move(log, appendedElsewhere);
            return;
        } else if (!log.isLeading()) {
            return;
        }
        log.loseLeadership(world.chance(80));
        settle();
        broker.poke();
        int epoch = log.leaderEpoch();
        world.after(20_000 + world.random(400_000), null, () -> {
            if (!log.isLeading() && log.leaderEpoch() == epoch) {
                log.truncateToCommitted();
                if (appendedElsewhere != null) {
                    log.replicate(appendedElsewhere);
                }
                broker.poke();
            }
        });
        world.after(500_000 + world.random(1_500_000), null, () -> {
            if (log.leaderEpoch() == epoch) {
                log.lead();
                broker.poke();
            }
        });
    }

    /** This broker leads in a new epoch. Clients may know the epoch earlier. */
    public void leadAgain(ModelLog log) {
        if (!log.isLeading()) {
            return;
        }
        log.announce();
        int epoch = log.leaderEpoch();
        Broker process = broker;
        world.after(world.random(400_000), process.host(), () -> {
            if (log.isLeading() && log.leaderEpoch() == epoch) {
                log.leadAgain();
                settle();
                replicate(log);
                process.poke();
            }
        });
    }

    /** The process ended: pending requests stay unanswered, uncommitted records are lost. */
    public void crashed() {
        purgatory.clear();
        logs.stream().filter(log -> !replicas.has(log)).forEach(log -> log.recover(log.highWatermark()));
        replicas.crashed(this);
    }

    /** Returns whether replicas have all records of all partitions, and all transactions are decided. */
    public boolean areCommitted() {
        return replicas.areSettled(this)
                && logs.stream()
                        .allMatch(log -> log.isLeading()
                                && log.highWatermark() == log.endOffset()
                                && log.transactions().isEmpty());
    }

    /** Runs a transaction of some batches in the partition. The coordinator repeats its end until it is committed. */
    public void transact(ModelLog log, int producerId, boolean aborts, long forNs) {
        int batches = 1 + world.random(3);
        for (int i = 0; i < batches; i++) {
            int sequence = i;
            world.after(i * forNs / batches, null, () -> {
                if (isServing(log) && (sequence == 0 || log.transactions().isOpen(producerId))) {
                    log.appendToTransaction(Batch.of(
                            producerId, log.partition(), sequence, 1 + world.random(3), 20 + world.random(300)));
                    replicate(log);
                    broker.poke();
                }
            });
        }
        world.after(forNs, null, () -> endTransaction(log, producerId, batches, aborts));
    }

    private void endTransaction(ModelLog log, int producerId, int sequence, boolean aborts) {
        if (isServing(log) && log.transactions().isOpen(producerId)) {
            log.endTransaction(Batch.of(producerId, log.partition(), sequence, 1, MARKER_BYTES), aborts);
            replicate(log);
            broker.poke();
        }
        if (log.transactions().isUndecided(producerId)) {
            world.after(COORDINATOR_NS, null, () -> endTransaction(log, producerId, sequence + 1, aborts));
        }
    }

    private boolean isServing(ModelLog log) {
        return log.isLeading() && isAtWork();
    }

    /** Returns whether the broker process runs. */
    public boolean isAtWork() {
        return broker.host().isAlive() && !broker.host().isStoppedAt(world.nowNs());
    }

    /** A broker thread changed a log. */
    public void poke() {
        broker.poke();
    }

    public Broker broker() {
        return broker;
    }
}
