// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.client;

import io.slipstream.protocol.control.AbortedTransaction;
import io.slipstream.simulation.Scenario;
import io.slipstream.simulation.World;
import io.slipstream.simulation.broker.LoggedBatch;
import io.slipstream.simulation.broker.ModelLog;
import io.slipstream.simulation.broker.Partitions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * A consumer of some partitions, with one Fetch at a time. It checks answers by RDMA against the log: the bytes are
 * equal and below the watermark, and the watermarks are those of one moment after the request.
 */
public final class Consumer extends ConnectedClient {
    private static final int MOST_CONNECTIONS = 2_000;
    private static final int MOST_SEEKS = 6;
    /** A consumer without records polls less often. */
    private static final int IDLE_FACTOR = 8;

    private static final int BUSY_NS = 1_000_000;

    private final boolean committed;
    private final boolean sips;
    private final int startNs;
    private final int thinkNs;
    private final int maxWaitMs;
    private final Position[] positions;
    private final FetchSession session;
    private final Bounds bounds;
    private boolean fetching;
    private boolean atOnce;
    /** Whether the last answer had no records. */
    private boolean empty;

    private int connections;
    private int seeks;
    private long batchesByRdma;

    /**
     * @param staleNs time after a broker stopped during which its slots may still be trusted
     * @param deniedNs time after the loss of the right to read during which records may still be served
     * @param calm whether the run has no faults, so that committed records must be served soon
     */
    public record Bounds(long leaseNs, long staleNs, long deniedNs, boolean calm) {
        private static final long SOON_NS = 5_000_000;

        /** Returns the time in which committed records are served. A message may be late by half a lease. */
        long soonNs() {
            return SOON_NS + leaseNs / 2;
        }
    }

    public Consumer(
            World world,
            Partitions partitions,
            Supplier<Proxy> proxies,
            Producer.Numbers numbers,
            Scenario.ConsumerPlan plan,
            Bounds bounds) {
        super(world, partitions, proxies, numbers, plan.principal());
        this.bounds = bounds;
        this.committed = plan.committed();
        this.sips = plan.sips();
        this.startNs = plan.startNs();
        this.thinkNs = plan.thinkNs();
        this.maxWaitMs = plan.maxWaitMs();
        this.session = new FetchSession(plan.sessions());
        this.positions = plan.partitions().stream()
                .map(p -> new Position(partitions.log(p)))
                .toArray(Position[]::new);
    }

    @Override
    public void start() {
        world.after(startNs, null, () -> {
            if (!isEnded()) {
                reconnect();
            }
        });
    }

    @Override
    void onConnected() {
        fetching = false;
        session.reset();
        more();
    }

    private void more() {
        later(world.random(empty && thinkNs < BUSY_NS ? IDLE_FACTOR * thinkNs : thinkNs), () -> {
            if (!fetching && !isEnded()) {
                fetch();
            }
        });
    }

    private void fetch() {
        fetching = true;
        sometimesAskBroker();
        int correlationId = numbers.correlation();
        List<Position> asked = new ArrayList<>(Arrays.asList(positions));
        List<FetchFrames.Wish> wishes = new ArrayList<>();
        if (asked.size() > 1 && world.random(4) == 0) {
            asked.remove(world.random(asked.size()));
        }
        for (Position position : asked) {
            wander(position);
            position.ask();
            wishes.add(new FetchFrames.Wish(
                    position.log.partition(),
                    leaderEpochOf(position),
                    position.offset,
                    position.epoch,
                    position.maxBytes));
        }
        int minBytes = world.random(4) == 0 ? 1 + world.random(2000) : 1;
        atOnce = minBytes == 1 && !committed;
        int maxBytes = world.random(4) == 0 ? 200 + world.random(4000) : 1 << 18;
        FetchSession.Sent sent = session.next(wishes);
        byte[] frame = FetchFrames.encode(
                connection.number(),
                correlationId,
                Partitions.TOPIC_ID,
                maxWaitMs,
                minBytes,
                maxBytes,
                committed,
                sent);
        connection.submit(new Answer(sent, asked, wishes), correlationId, frame);
    }

    /** Returns what the client knows, which may be nothing, or newer than what the broker knows. */
    private int leaderEpochOf(Position position) {
        int kind = world.random(64);
        return kind == 0 ? position.leaderEpoch + 1 : kind < 16 ? Position.NO_EPOCH : position.leaderEpoch;
    }

    /** Sometimes refreshes the metadata, and sometimes seeks to any offset. */
    private void wander(Position position) {
        if (world.random(8) == 0) {
            position.refresh();
        }
        if (world.random(3) == 0) {
            position.maxBytes =
                    sips ? 100 + world.random(500) : world.random(3) == 0 ? 100 + world.random(3000) : 1 << 16;
        }
        if (seeks < MOST_SEEKS && world.random(12) == 0) {
            seeks++;
            position.seek(world.random((int) position.log.highWatermark() + 1));
        }
    }

    private final class Answer implements Connection.Sender {
        private final FetchSession.Sent sent;
        private final List<Position> asked;
        private final List<FetchFrames.Wish> wishes;
        private final long askedAtNs = world.nowNs();

        Answer(FetchSession.Sent sent, List<Position> asked, List<FetchFrames.Wish> wishes) {
            this.sent = sent;
            this.asked = asked;
            this.wishes = wishes;
        }

        @Override
        public void onResponse(byte[] bytes, boolean byRdma) {
            FetchFrames.Response response;
            try {
                response = FetchFrames.decode(bytes);
            } catch (RuntimeException malformed) {
                world.violate("responses", "a Fetch response cannot be read: " + malformed);
                return;
            }
            boolean wasOpen = session.isOpen();
            if (!session.onResponse(sent, response) && wasOpen) {
                goOn();
                return;
            }
            Map<Integer, FetchFrames.Answer> answers = new HashMap<>();
            response.answers().forEach(answer -> answers.put(answer.partition(), answer));
            long known = asked.stream()
                    .filter(position -> answers.containsKey(position.log.partition()))
                    .count();
            if (response.error() != 0
                    || known < response.answers().size()
                    || known < asked.size() && !sent.isIncremental()) {
                world.violate("responses", "asked for " + wishes + ", answered " + response);
                return;
            }
            if (byRdma) {
                checkTimely();
                int records = response.answers().stream()
                        .mapToInt(answer -> answer.records().length)
                        .sum();
                partitions.books().received(principal, records);
            }
            empty = response.answers().stream().allMatch(answer -> answer.records().length == 0);
            for (int i = 0; i < asked.size(); i++) {
                answered(asked.get(i), wishes.get(i), answers.get(wishes.get(i).partition()), byRdma);
            }
            goOn();
        }

        private void answered(Position position, FetchFrames.Wish wish, FetchFrames.Answer answer, boolean byRdma) {
            if (answer == null) {
                checkRights();
                checkUnchanged(position);
            } else if (answer.error() == 0) {
                checkRights();
                check(position, wish, answer, byRdma);
            } else if (byRdma) {
                world.violate("responses", "asked for " + wish + ", answered " + answer);
            } else {
                onError(position, answer.error());
            }
        }

        /** The broker would refuse a client without the right to read. */
        private void checkRights() {
            long deniedNs = partitions.rights().deniedForNs(principal);
            if (deniedNs > bounds.deniedNs()) {
                world.violate(
                        "rights",
                        principal + " is served, and has not been allowed to read for " + deniedNs / 1000 + " us");
            }
        }

        /** Slots of a stopped broker expire soon, and a commit wakes a sleeping Fetch. */
        private void checkTimely() {
            long nowNs = world.nowNs();
            if (partitions.broker().host().stoppedForNs(nowNs) > bounds.staleNs()) {
                world.violate("lease", "a Fetch is answered from slots of a broker that has long been standing still");
            }
            for (Position position : asked) {
                long readableNs = position.log.committedAtNs(position.offset);
                if (bounds.calm()
                        && atOnce
                        && readableNs >= 0
                        && nowNs - Math.max(askedAtNs, readableNs) > bounds.soonNs()) {
                    world.violate(
                            "freshness",
                            "offset " + position.offset + " was committed " + (nowNs - readableNs) / 1000
                                    + " us before a waiting Fetch was answered");
                }
            }
        }
    }

    private void goOn() {
        fetching = false;
        more();
    }

    /** An answer of a fetch session leaves out a partition only if nothing has changed. */
    private void checkUnchanged(Position position) {
        ModelLog.Watermarks asked = position.asked;
        if (position.isLedAsAsked()
                && position.sawInThisEpoch()
                && (position.lastSeen.highWatermark() < asked.highWatermark()
                        || position.lastSeen.logStartOffset() < asked.logStartOffset())) {
            world.violate(
                    "sessions",
                    "an answer does not name a partition at " + asked + ", told last as " + position.lastSeen);
        }
    }

    private void onError(Position position, short code) {
        position.refresh();
        position.lastSeen = null;
        if (code == Errors.OFFSET_OUT_OF_RANGE.code()) {
            position.seek(
                    Math.max(position.log.logStartOffset(), Math.min(position.offset, position.log.highWatermark())));
        }
    }

    private void check(Position position, FetchFrames.Wish wish, FetchFrames.Answer answer, boolean byRdma) {
        ModelLog log = position.log;
        ModelLog.Watermarks seen =
                new ModelLog.Watermarks(answer.highWatermark(), answer.lastStableOffset(), answer.logStartOffset());
        if (!log.wasPublished(seen)) {
            world.violate("slots", "partition " + log.partition() + " never had " + seen);
        } else if (wish.fetchOffset() < seen.logStartOffset() || wish.fetchOffset() > seen.highWatermark()) {
            world.violate("range", "offset " + wish.fetchOffset() + " is served although the log has " + seen);
        } else if (wish.leaderEpoch() != Position.NO_EPOCH
                && (wish.leaderEpoch() < position.askedEpoch || wish.leaderEpoch() > log.leaderEpoch())) {
            world.violate(
                    "epochs",
                    "a Fetch for leader epoch " + wish.leaderEpoch() + " is served in an epoch from "
                            + position.askedEpoch + " to " + log.leaderEpoch());
        } else if (position.isLedAsAsked()
                && (seen.highWatermark() < position.asked.highWatermark()
                        || seen.logStartOffset() < position.asked.logStartOffset())) {
            world.violate("slots", "a Fetch made at " + position.asked + " is answered with the older " + seen);
        } else if (position.sawInThisEpoch() && seen.highWatermark() < position.lastSeen.highWatermark()) {
            world.violate("slots", "watermarks went back from " + position.lastSeen + " to " + seen);
        } else {
            position.see(seen);
            long limit = committed ? Math.min(seen.lastStableOffset(), seen.highWatermark()) : seen.highWatermark();
            long from = position.offset;
            int batches = checkRecords(position, limit, answer.records());
            batchesByRdma += byRdma ? batches : 0;
            if (committed && position.offset > from) {
                checkAborted(position, from, answer);
            }
        }
    }

    /** A read_committed consumer learns every aborted transaction among its records, and no other. */
    private void checkAborted(Position position, long from, FetchFrames.Answer answer) {
        for (FetchResponseData.AbortedTransaction listed : answer.aborted()) {
            if (listed.firstOffset() < position.offset
                    && position.log.aborted().stream()
                            .noneMatch(aborted -> listed.producerId() == aborted.producerId()
                                    && listed.firstOffset() == aborted.firstOffset())) {
                world.violate("aborted", listed + " is listed, and the log knows of no such transaction");
            }
        }
        for (AbortedTransaction aborted : position.log.aborted()) {
            boolean overlaps = aborted.firstOffset() < position.offset && aborted.lastOffset() >= from;
            if (overlaps
                    && answer.aborted().stream()
                            .noneMatch(listed -> listed.producerId() == aborted.producerId()
                                    && listed.firstOffset() == aborted.firstOffset())) {
                world.violate(
                        "aborted", aborted + " is not listed with offsets " + from + " to " + (position.offset - 1));
                return;
            }
        }
    }

    /** Returns the number of batches. */
    private int checkRecords(Position position, long limit, byte[] records) {
        long next = position.offset;
        int at = 0;
        int batches = 0;
        while (at < records.length) {
            if (records.length - at < 61) {
                world.violate("records", "a response ends within a batch");
                return 0;
            }
            ByteBuffer batch = ByteBuffer.wrap(records, at, records.length - at).slice();
            int size = 12 + batch.getInt(8);
            long base = batch.getLong(0);
            long last = base + batch.getInt(23);
            LoggedBatch logged = position.log.beginningAt(base);
            if (size < 61 || size > records.length - at) {
                world.violate("records", "a batch of " + size + " bytes in the last " + (records.length - at));
                return 0;
            } else if (last >= limit) {
                world.violate("watermark", "offset " + last + " is served, the limit is " + limit);
                return 0;
            } else if (last < next || base > next && !isGap(position, next, base)) {
                world.violate("records", "offsets " + base + " to " + last + " are served where " + next + " is due");
                return 0;
            } else if (logged == null
                    || !Arrays.equals(logged.bytes(), 0, logged.bytes().length, records, at, at + size)) {
                world.violate(
                        "records",
                        "offsets " + base + " to " + last + " are not what partition " + position.log.partition()
                                + " holds there");
                return 0;
            }
            batches++;
            next = last + 1;
            position.epoch = batch.getInt(12);
            at += size;
        }
        position.offset = next;
        return batches;
    }

    /** Returns whether the log has no record from {@code next} to {@code base}. */
    private static boolean isGap(Position position, long next, long base) {
        LoggedBatch logged = position.log.at(next);
        return logged == null || logged.baseOffset() >= base || next < position.log.logStartOffset();
    }

    @Override
    void onLost(String reason) {
        if (++connections > MOST_CONNECTIONS) {
            world.violate("progress", "a consumer lost its connection " + connections + " times: " + reason);
            return;
        }
        reconnect();
    }

    /** Returns whether the consumer has read all visible records. */
    public boolean isDone() {
        for (Position position : positions) {
            long end = committed ? position.log.watermarks().lastStableOffset() : position.log.highWatermark();
            if (position.offset < end) {
                return false;
            }
        }
        return true;
    }

    public long batchesByRdma() {
        return batchesByRdma;
    }
}
