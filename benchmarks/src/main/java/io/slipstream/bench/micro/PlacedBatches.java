package io.slipstream.bench.micro;

import io.slipstream.broker.kafka44.landing.BenchedLog;
import io.slipstream.broker.landing.AnnouncedBatches;
import io.slipstream.broker.landing.Landing;
import io.slipstream.broker.landing.LandingConfig;
import io.slipstream.broker.landing.LandingLink;
import io.slipstream.broker.landing.LandingTable;
import io.slipstream.broker.landing.LinkLandings;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.ring.LandedBatches;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/** The plugin's side of one landing after the other in a log, each full of batches as a proxy places them. One thread. */
final class PlacedBatches {
    private static final long TIMEOUT_S = 10;
    /** The window begins at a page, before the log's end. */
    private static final int SPARE_BYTES = 1 << 16;

    private final PluginMeters counters = new PluginMeters();
    private final Peers peers = new Peers("shm");
    private final BenchedLog log;
    private final int batchBytes;
    private final int count;
    /** All of a landing, as they are written there. */
    private final ByteBuffer placed;

    private final LandingTable table;
    private final LinkLandings landings = new LinkLandings(peers.far.domain, peers.far.queuePair);
    private final ByteBuffer announcement =
            ByteBuffer.allocateDirect(LandedBatches.bytes(1)).order(ByteOrder.LITTLE_ENDIAN);
    private final LandingLink link = new Link();
    private Landing landing;
    private int position;
    private long committed;

    /**
     * @param batch with base offset 0
     * @param count of each landing
     */
    PlacedBatches(BenchedLog log, ByteBuffer batch, int count) throws Exception {
        this.log = log;
        this.batchBytes = batch.remaining();
        this.count = count;
        placed = ByteBuffer.allocateDirect(count * batchBytes);
        for (int at = 0; at < placed.capacity(); at += batchBytes) {
            placed.put(
                    at + LandedBatches.POISON_BYTES,
                    batch,
                    LandedBatches.POISON_BYTES,
                    batchBytes - LandedBatches.POISON_BYTES);
        }
        table = new LandingTable(
                log,
                new LandingConfig(count * batchBytes + SPARE_BYTES, 1, TimeUnit.SECONDS.toNanos(TIMEOUT_S)),
                counters);
    }

    /** Begins a landing, and writes the batches where they are to be, without offset and length. */
    void place() throws Exception {
        ControlResponse answer = table.prepare(
                        landings, link, null, new ControlRequest.PrepareLanding(1, 1, log.topicId(), log.topic(), 0))
                .get(TIMEOUT_S, TimeUnit.SECONDS);
        check(answer.error() == ControlError.NONE, answer);
        landing = (Landing) landings.get(((ControlResponse.PrepareLanding) answer).landingId());
        position = landing.begin();
        check(position >= 0, "the landing was not begun");
        placed.clear();
        try (FileChannel file = FileChannel.open(log.activeSegment().path(), StandardOpenOption.WRITE)) {
            while (placed.hasRemaining()) {
                file.write(placed, position + placed.position());
            }
        }
    }

    /** What the plugin does for the next one, from its announcement on. */
    void commit() throws IOException {
        LandedBatches.encodeHeader(announcement, 0, 1, 0);
        LandedBatches.encodeBatch(announcement, 0, 0, landing.id(), position, batchBytes, 0);
        AnnouncedBatches announced = AnnouncedBatches.take(landings, announcement);
        LoopThreads.setHandling(announced);
        log.append(announced.next(batchBytes));
        LoopThreads.setHandling(null);
        announced.finish();
        position += batchBytes;
    }

    /** Ends the landing; throws IllegalStateException unless all of its batches were committed where they lay. */
    void release() throws Exception {
        landing.drain(false);
        landing.ended().get(TIMEOUT_S, TimeUnit.SECONDS);
        committed += count;
        check(counters.get(PluginMeter.BATCHES_COMMITTED_IN_PLACE) == committed, "batches were moved or refused");
        check(log.sizeBytes() == position, "the log ends elsewhere");
    }

    private static void check(boolean sound, Object what) {
        if (!sound) {
            throw new IllegalStateException(String.valueOf(what));
        }
    }

    void close() throws InterruptedException {
        landings.close();
        table.close();
        peers.close();
    }

    private final class Link implements LandingLink {
        @Override
        public int linkId() {
            return 1;
        }

        @Override
        public void ringLandingDoorbell(int landingId) {
            throw new IllegalStateException("somebody else wants to append");
        }

        @Override
        public void abandon(String reason) {
            throw new IllegalStateException(reason);
        }

        @Override
        public Thread ownerThread() {
            return null;
        }

        @Override
        public LinkLandings landings() {
            return landings;
        }
    }
}
