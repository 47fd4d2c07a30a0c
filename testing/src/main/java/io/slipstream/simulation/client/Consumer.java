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
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.message.FetchResponseData;

/**
 * A consumer of some partitions, with one Fetch at a time. It checks answers by RDMA against the log: the bytes are
 * equal and below the watermark, and the watermarks are those of one moment after the request.
 */
public final class Consumer extends ConnectedClient {
    private static final int MOST_CONNECTIONS = 2_000;
    private static final int MOST_SEEKS = 6;
    private static final int NO_EPOCH = -1;

    private final boolean committed;
    private final int thinkNs;
    private final int maxWaitMs;
    private final Position[] positions;
    private final Bounds bounds;
    private boolean fetching;
    private boolean atOnce;
    private int connections;
    private int seeks;
    private long batchesByRdma;

    /**
     * @param staleNs time after a broker stopped during which its slots may still be trusted
     * @param deniedNs time after the loss of the right to read during which records may still be served
     * @param calm whether the run has no faults, so that committed records must be served soon
     */
    public record Bounds(long staleNs, long deniedNs, boolean calm) {
        private static final long SOON_NS = 5_000_000;
    }

    /** Its position in one partition, and its knowledge at the time of the request. */
    private static final class Position {
        final ModelLog log;
        long offset;
        /** Epoch of the batch before the offset. */
        int epoch = NO_EPOCH;
        /** Leader epoch in the client's metadata. */
        int leaderEpoch;

        /** The watermarks at the time of the current Fetch. */
        ModelLog.Watermarks asked;

        int askedEpoch;
        boolean askedLeading;
        ModelLog.Watermarks lastSeen;
        int lastSeenEpoch;

        Position(ModelLog log) {
            this.log = log;
            refresh();
        }

        /** Asks for metadata. */
        void refresh() {
            leaderEpoch = log.announcedEpoch();
        }

        void seek(long to) {
            offset = to;
            epoch = NO_EPOCH;
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
        this.thinkNs = plan.thinkNs();
        this.maxWaitMs = plan.maxWaitMs();
        this.positions =
                plan.partitions().stream().map(p -> new Position(partitions.logs().get(p))).toArray(Position[]::new);
    }

    @Override
    void onConnected() {
        fetching = false;
        more();
    }

    private void more() {
        Connection current = connection;
        world.after(
                world.random(thinkNs),
                current.proxy().host(),
                () -> current.proxy().loop().execute(() -> {
                    if (current == connection && !current.isClosed() && !fetching && !isEnded()) {
                        fetch();
                    }
                }));
    }

    private void fetch() {
        fetching = true;
        int correlationId = numbers.correlation();
        List<Position> asked = new ArrayList<>(Arrays.asList(positions));
        List<FetchFrames.Wish> wishes = new ArrayList<>();
        if (asked.size() > 1 && world.random(4) == 0) {
            asked.remove(world.random(asked.size()));
        }
        for (Position position : asked) {
            wander(position);
            position.asked = position.log.watermarks();
            position.askedEpoch = position.log.leaderEpoch();
            position.askedLeading = position.log.isLeading();
            int maxBytes = world.random(3) == 0 ? 100 + world.random(3000) : 1 << 16;
            int leaderEpoch = world.random(4) == 0 ? NO_EPOCH : position.leaderEpoch;
            wishes.add(new FetchFrames.Wish(
                    position.log.partition(), leaderEpoch, position.offset, position.epoch, maxBytes));
        }
        int minBytes = world.random(4) == 0 ? 1 + world.random(2000) : 1;
        atOnce = minBytes == 1 && !committed;
        int maxBytes = world.random(4) == 0 ? 200 + world.random(4000) : 1 << 18;
        byte[] frame = FetchFrames.encode(
                connection.number(),
                correlationId,
                Partitions.TOPIC_ID,
                maxWaitMs,
                minBytes,
                maxBytes,
                committed,
                wishes);
        connection.submit(new Answer(correlationId, asked, wishes), correlationId, frame);
    }

    /** Sometimes refreshes the metadata, and sometimes seeks to any offset. */
    private void wander(Position position) {
        if (world.random(8) == 0) {
            position.refresh();
        }
        if (seeks < MOST_SEEKS && world.random(12) == 0) {
            seeks++;
            position.seek(world.random((int) position.log.highWatermark() + 1));
        }
    }

    private final class Answer implements ClientRequest.Sender {
        private final int correlationId;
        private final List<Position> asked;
        private final List<FetchFrames.Wish> wishes;
        private final long askedAtNs = world.nowNs();

        Answer(int correlationId, List<Position> asked, List<FetchFrames.Wish> wishes) {
            this.correlationId = correlationId;
            this.asked = asked;
            this.wishes = wishes;
        }

        @Override
        public void onResponse(byte[] bytes) {
            FetchFrames.Response response;
            try {
                response = FetchFrames.decode(bytes);
            } catch (RuntimeException malformed) {
                world.violate("responses", "a Fetch response cannot be read: " + malformed);
                return;
            }
            if (response.correlationId() != correlationId
                    || response.error() != 0
                    || response.answers().size() != asked.size()) {
                world.violate("responses", "the response to Fetch " + correlationId + " is another's: " + response);
                return;
            }
            checkTimely();
            checkRights();
            for (int i = 0; i < asked.size(); i++) {
                check(asked.get(i), wishes.get(i), response.answers().get(i));
            }
            goOn();
        }

        /** The broker would refuse a client without the right to read. */
        private void checkRights() {
            long deniedNs = partitions.rights().deniedForNs(principal);
            if (deniedNs > bounds.deniedNs()) {
                world.violate("rights", principal + " is served, and has not been allowed to read for " + deniedNs / 1000 + " us");
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
                        && nowNs - Math.max(askedAtNs, readableNs) > Bounds.SOON_NS) {
                    world.violate(
                            "freshness",
                            "offset " + position.offset + " was committed " + (nowNs - readableNs) / 1000
                                    + " us before a waiting Fetch was answered");
                }
            }
        }

        /** The broker's answer over TCP, which comes directly from the model. */
        @Override
        public void onNothing() {
            for (int i = 0; i < asked.size(); i++) {
                readAsBroker(asked.get(i), wishes.get(i));
            }
            goOn();
        }
    }

    private void goOn() {
        fetching = false;
        more();
    }

    private void check(Position position, FetchFrames.Wish wish, FetchFrames.Answer answer) {
        ModelLog log = position.log;
        ModelLog.Watermarks seen =
                new ModelLog.Watermarks(answer.highWatermark(), answer.lastStableOffset(), answer.logStartOffset());
        if (answer.partition() != wish.partition() || answer.error() != 0) {
            world.violate("responses", "asked for " + wish + ", answered " + answer);
        } else if (!log.wasPublished(seen)) {
            world.violate("slots", "partition " + log.partition() + " never had " + seen);
        } else if (wish.fetchOffset() < seen.logStartOffset() || wish.fetchOffset() > seen.highWatermark()) {
            world.violate("range", "offset " + wish.fetchOffset() + " is served although the log has " + seen);
        } else if (wish.leaderEpoch() != NO_EPOCH
                && (wish.leaderEpoch() < position.askedEpoch || wish.leaderEpoch() > log.leaderEpoch())) {
            world.violate(
                    "epochs",
                    "a Fetch for leader epoch " + wish.leaderEpoch() + " is served in an epoch from "
                            + position.askedEpoch + " to " + log.leaderEpoch());
        } else if (position.askedLeading
                && position.askedEpoch == log.leaderEpoch()
                && (seen.highWatermark() < position.asked.highWatermark()
                        || seen.logStartOffset() < position.asked.logStartOffset())) {
            world.violate("slots", "a Fetch made at " + position.asked + " is answered with the older " + seen);
        } else if (position.lastSeen != null
                && position.lastSeenEpoch == log.leaderEpoch()
                && seen.highWatermark() < position.lastSeen.highWatermark()) {
            world.violate("slots", "watermarks went back from " + position.lastSeen + " to " + seen);
        } else {
            position.lastSeen = seen;
            position.lastSeenEpoch = log.leaderEpoch();
            long limit = committed ? Math.min(seen.lastStableOffset(), seen.highWatermark()) : seen.highWatermark();
            long from = position.offset;
            checkRecords(position, limit, answer.records());
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

    private void checkRecords(Position position, long limit, byte[] records) {
        long next = position.offset;
        int at = 0;
        while (at < records.length) {
            if (records.length - at < 61) {
                world.violate("records", "a response ends within a batch");
                return;
            }
            ByteBuffer batch = ByteBuffer.wrap(records, at, records.length - at).slice();
            int size = 12 + batch.getInt(8);
            long base = batch.getLong(0);
            long last = base + batch.getInt(23);
            LoggedBatch logged = position.log.beginningAt(base);
            if (size < 61 || size > records.length - at) {
                world.violate("records", "a batch of " + size + " bytes in the last " + (records.length - at));
                return;
            } else if (last >= limit) {
                world.violate("watermark", "offset " + last + " is served, the limit is " + limit);
                return;
            } else if (last < next || base > next && !isGap(position, next, base)) {
                world.violate("records", "offsets " + base + " to " + last + " are served where " + next + " is due");
                return;
            } else if (logged == null
                    || !Arrays.equals(logged.bytes(), 0, logged.bytes().length, records, at, at + size)) {
                world.violate(
                        "records",
                        "offsets " + base + " to " + last + " are not what partition " + position.log.partition()
                                + " holds there");
                return;
            }
            batchesByRdma++;
            next = last + 1;
            position.epoch = batch.getInt(12);
            at += size;
        }
        position.offset = next;
    }

    /** Returns whether the log has no record from {@code next} to {@code base}. */
    private static boolean isGap(Position position, long next, long base) {
        LoggedBatch logged = position.log.at(next);
        return logged == null || logged.baseOffset() >= base || next < position.log.logStartOffset();
    }

    /** Answers as the broker would: some batches from the position, or a reset if they are deleted. */
    private void readAsBroker(Position position, FetchFrames.Wish wish) {
        ModelLog log = position.log;
        if (!partitions.rights().mayRead(principal)) {
            return;
        }
        if (!log.isLeading() || wish.leaderEpoch() != NO_EPOCH && wish.leaderEpoch() != log.leaderEpoch()) {
            position.refresh();
            return;
        }
        position.lastSeen = null;
        if (position.offset < log.logStartOffset()) {
            position.seek(log.logStartOffset());
        }
        long limit = committed ? log.watermarks().lastStableOffset() : log.highWatermark();
        for (int i = 0; i < 3; i++) {
            LoggedBatch batch = log.at(position.offset);
            if (batch == null || batch.lastOffset() >= limit) {
                return;
            }
            position.offset = batch.lastOffset() + 1;
            position.epoch = ByteBuffer.wrap(batch.bytes()).getInt(12);
        }
    }

    @Override
    public void atBroker(ClientRequest request, byte[] frame, java.util.function.Consumer<byte[]> answer) {
        answer.accept(null);
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
