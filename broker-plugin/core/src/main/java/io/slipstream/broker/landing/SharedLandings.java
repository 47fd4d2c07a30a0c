package io.slipstream.broker.landing;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.rdma.MemoryRegion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All landings of a broker whose segments are lent to several links at once. Looked up by any thread of the broker without a lock.
 *
 * <p>The rule that all hooks serve: while a landing is active, whoever appends to its log has a {@link Turn}, and nobody cuts, rolls or closes it. Who wants
 * to waits until all links have ended their part.
 */
public final class SharedLandings implements SegmentLandings {
    private static final Logger logger = LoggerFactory.getLogger(SharedLandings.class);
    /** A hole is found, links end or are cut, writers are fenced or given up, each within the release time; and what else that takes. */
    private static final int WAITS = 4;

    private static final long REST_NS = TimeUnit.SECONDS.toNanos(1);

    private final LandableLogs logs;
    private final LandingConfig config;
    private final PluginMeters counters;
    private final SharedLandingWork work;
    private final LoopbackAdder adder;
    private final Contention contention = new Contention(System::nanoTime);

    private volatile LandingIndex<SharedLanding> index = LandingIndex.empty();

    /** @param adder what the broker reserves places with; null if it can by itself */
    public SharedLandings(LandableLogs logs, LandingConfig config, PluginMeters counters, LoopbackAdder adder) {
        this.adder = adder;
        this.logs = logs;
        this.config = config;
        this.counters = counters;
        this.work = new SharedLandingWork(this);
        LandingEvents.open(this);
    }

    /** Closed with the landing. */
    ReservationWord word(MemoryRegion region) throws IOException {
        return adder == null ? new ReservationWord(region) : new ReservationWord(region, adder);
    }

    LandableLogs logs() {
        return logs;
    }

    LandingConfig config() {
        return config;
    }

    PluginMeters counters() {
        return counters;
    }

    Contention contention() {
        return contention;
    }

    SharedLandingWork work() {
        return work;
    }

    SharedLanding ofLog(Object log) {
        return index.byLog().get(log);
    }

    synchronized boolean add(SharedLanding landing) {
        if (ofLog(landing.log().identity()) != null || index.byFile().size() >= config.mostLandings()) {
            return false;
        }
        index = index.with(landing.log(), landing.segment(), landing);
        return true;
    }

    synchronized void remove(SharedLanding landing) {
        index = index.without(landing);
    }

    @Override
    public CompletableFuture<ControlResponse> prepare(
            LinkLandings landings, LandingLink link, Object requestContext, ControlRequest.PrepareLanding request) {
        return work.prepare(landings, link, requestContext, request);
    }

    @Override
    public CompletableFuture<ControlResponse> extend(LinkLandings landings, ControlRequest.ExtendLanding request) {
        return work.extend(landings, request);
    }

    @Override
    public void withdraw(Grant grant) {
        ((SharedGrant) grant).landing().close(SharedLanding.Reason.CHANGE);
    }

    @Override
    public boolean isIdle() {
        return index.byFile().isEmpty();
    }

    @Override
    public CompletableFuture<Void> obstacle(
            RingAppend request, String topic, Uuid topicId, int partition, Object records, boolean isOnly) {
        SharedLanding landing = find(topic, topicId, partition);
        Turn turn = request.turn();
        boolean hasTurn = turn != null && turn.landing() == landing && turn.state == Turn.State.CURRENT;
        if (landing == null || hasTurn) {
            return null;
        }
        request.takeTurn(null);
        int lengthBytes = records == null ? 0 : logs.bytesOf(records).limit();
        return landing.admit(request, lengthBytes, isOnly && lengthBytes > 0);
    }

    private SharedLanding find(String topic, Uuid topicId, int partition) {
        for (Map.Entry<Object, SharedLanding> entry : index.byFile().entrySet()) {
            LandableLog log = entry.getValue().log();
            if (log.partition() == partition
                    && (log.topic().equals(topic) || log.topicId().equals(topicId))) {
                return entry.getValue();
            }
        }
        return null;
    }

    @Override
    public int append(Object file, Object records) {
        SharedLanding landing = index.byFile().get(file);
        ByteBuffer bytes = logs.bytesOf(records);
        Turn turn = landing == null ? null : landing.current();
        if (turn != null && turn.isMine()) {
            return turn.batches == null
                    ? appendTo(landing, turn, bytes)
                    : InPlaceAppend.append(landing, turn, bytes, this);
        } else if (LandedLengths.ofBatch(bytes, 0) != 0 && Thread.currentThread() instanceof LandingHandler) {
            throw conflict("the segment is not appended to any more");
        } else if (landing == null || isFree(landing)) {
            return 0;
        }
        // Only who looked before this landing was begun and appends after it comes here, and a follower of whom the
        // landing's end was not ready in time.
        landing.close(SharedLanding.Reason.CONFLICT);
        if (!landing.log().isLeader()) {
            counters.increment(PluginMeter.LANDING_CONFLICTS);
            throw logs.passing("batches that were placed in the segment are not cut off yet");
        }
        throw conflict("batches are being placed in the segment");
    }

    /** Whether this thread appends as ever: nothing was ever placed, or nothing is any more. */
    private static boolean isFree(SharedLanding landing) {
        SharedLanding.State state = landing.state();
        return !landing.wasActive()
                || state == SharedLanding.State.ENDED
                || (state == SharedLanding.State.DRAINING && isHandlingBatchOf(landing));
    }

    /** The broker writes it itself, in the place that was reserved. */
    private int appendTo(SharedLanding landing, Turn turn, ByteBuffer bytes) {
        if (bytes.limit() > turn.lengthBytes) {
            landing.close(SharedLanding.Reason.REFUSED);
            throw conflict("the batch is larger than its place");
        }
        try {
            landing.segment().writeBehindLog();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return 0;
    }

    private static boolean isHandlingBatchOf(SharedLanding landing) {
        Turn turn = Thread.currentThread() instanceof LandingHandler handler ? handler.handlingTurn() : null;
        return turn != null && turn.landing() == landing;
    }

    @Override
    public Turn beforeAppend(Object partition, Object records) {
        SharedLanding landing;
        while ((landing = index.byPartition().get(partition)) != null && !isHandlingBatchOf(landing)) {
            Turn turn = landing.enter(logs.bytesOf(records).limit());
            if (turn != null) {
                return turn;
            }
        }
        return null;
    }

    @Override
    public void afterAppend(Turn turn) {
        turn.finish();
    }

    @Override
    public void beforePartitionChange(Object partition) {
        awaitEnd(index.byPartition().get(partition));
    }

    @Override
    public void beforeLogChange(Object log) {
        awaitEnd(ofLog(log));
    }

    private void awaitEnd(SharedLanding landing) {
        if (landing == null) {
            return;
        }
        landing.close(SharedLanding.Reason.CHANGE);
        boolean mayWait = !(Thread.currentThread() instanceof LandingHandler);
        if (mayWait && !await(landing.ended())) {
            logger.warn(
                    "{}-{} is changed although batches are still placed in it",
                    landing.log().topic(),
                    landing.log().partition());
        }
    }

    /** False if it does not come about in time. */
    boolean await(CompletableFuture<Void> event) {
        try {
            event.get(WAITS * config.releaseNs() + REST_NS, TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("it never fails", e);
        }
    }

    /** What the client is told of an append that lost against placed batches: it is safe to send again. */
    RuntimeException conflict(String why) {
        counters.increment(PluginMeter.LANDING_CONFLICTS);
        RuntimeException conflict = logs.notLeader(why + "; send again");
        logger.debug("An append is refused", conflict);
        return conflict;
    }

    @Override
    public void reconfigured(Object log) {
        SharedLanding landing = ofLog(log);
        if (landing != null) {
            landing.close(SharedLanding.Reason.CHANGE);
        }
    }

    @Override
    public boolean mayRoll(Object file) {
        SharedLanding landing = index.byFile().get(file);
        if (landing == null) {
            return true;
        }
        landing.close(SharedLanding.Reason.FULL);
        return landing.isUntouched();
    }

    @Override
    public void close() throws InterruptedException {
        work.close();
        LandingEvents.close(this);
        if (adder != null) {
            adder.close();
        }
    }
}
