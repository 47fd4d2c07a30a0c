package io.slipstream.broker.landing;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All landings of a broker, found by what the hooks name. Looked up by any thread of the broker without a lock; changed by the landing thread and
 * by whoever cancels one.
 *
 * <p>The rule that all hooks serve: while a landing is active, nobody else appends to its log, and nobody cuts, rolls or closes it. Who wants to
 * has the proxy release it first ({@link #awaitRelease}): one round trip, at most {@link LandingConfig#releaseNs}, after which the
 * link is cut and its writer fenced, or given up, within as long again.
 */
public final class LandingTable implements SegmentLandings {
    private static final Logger log = LoggerFactory.getLogger(LandingTable.class);

    /**
     * What a landing's end takes after its link was cut, besides the attempt to fence its writer. Long, because those who wait for a change of leaders go on
     * anyway then: a follower that cannot append gives its partition up until the next one.
     */
    private static final long CUT_NS = TimeUnit.SECONDS.toNanos(1);

    private final LandableLogs logs;
    private final LandingConfig config;
    private final PluginMeters counters;
    private final LandingWork work;
    private final Contention contention = new Contention(System::nanoTime);

    /** Copied on each change. */
    private volatile LandingIndex<Landing> index = LandingIndex.empty();

    public LandingTable(LandableLogs logs, LandingConfig config, PluginMeters counters) {
        this.logs = logs;
        this.config = config;
        this.counters = counters;
        this.work = new LandingWork(this);
        LandingEvents.open(this);
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
        revoke((Landing) grant, false);
    }

    @Override
    public CompletableFuture<Void> obstacle(
            RingAppend request, String topic, Uuid topicId, int partition, Object records, boolean isOnly) {
        Landing landing = find(topic, topicId, partition);
        if (landing == null) {
            return null;
        }
        revoke(landing);
        return landing.ended();
    }

    @Override
    public boolean isIdle() {
        return index.byFile().isEmpty();
    }

    Landing ofPartition(Object partition) {
        return index.byPartition().get(partition);
    }

    Landing ofLog(Object log) {
        return index.byLog().get(log);
    }

    /** The landing of that partition for which others must wait, by either of the topic's names; null if there is none. */
    private Landing find(String topic, Uuid topicId, int partition) {
        for (Landing landing : index.byFile().values()) {
            LandableLog candidate = landing.log();
            if (!landing.isOpen()
                    && candidate.partition() == partition
                    && (candidate.topic().equals(topic) || candidate.topicId().equals(topicId))) {
                return landing;
            }
        }
        return null;
    }

    /** False if there is one already for that log, or as many as there may be. */
    synchronized boolean add(Landing landing) {
        if (ofLog(landing.log().identity()) != null || index.byFile().size() >= config.mostLandings()) {
            return false;
        }
        index = index.with(landing.log(), landing.segment(), landing);
        return true;
    }

    synchronized void remove(Landing landing) {
        index = index.without(landing);
    }

    @Override
    public int append(Object file, Object records) {
        Landing landing = index.byFile().get(file);
        if (landing == null) {
            refuseUncommitted(records);
            return 0;
        }
        if (isHandling(landing)) {
            return InPlaceAppend.append(landing, logs.bytesOf(records), this);
        }
        if (landing.isOpen()) {
            return 0;
        }
        // Only who looked before this landing was begun and appends after it comes here, and a follower of whom the
        // landing's end was not ready in time.
        revoke(landing);
        counters.increment(PluginMeter.LANDING_CONFLICTS);
        if (!landing.log().isLeader()) {
            throw logs.passing("batches that were placed in the segment are not cut off yet");
        }
        throw logs.notLeader("batches are being placed in the segment; send again");
    }

    /** A placed batch can only be committed where it lies: written elsewhere as it is, its length of zero would end the log there. */
    private void refuseUncommitted(Object records) {
        if (Thread.currentThread() instanceof LandingHandler handler
                && handler.isHandlingBatches()
                && LandedLengths.ofBatch(logs.bytesOf(records), 0) != 0) {
            counters.increment(PluginMeter.LANDING_CONFLICTS);
            throw logs.notLeader("the segment is not appended to any more; send again");
        }
    }

    @Override
    public Turn beforeAppend(Object partition, Object records) {
        Landing landing = index.byPartition().get(partition);
        if (landing == null || isHandling(landing)) {
            return null;
        } else if (landing.isOpen()) {
            if (!isOnLinkOf(landing)) {
                landing.sawOthers();
            }
        } else if (!awaitRelease(landing, true)) {
            counters.increment(PluginMeter.LANDING_CONFLICTS);
            throw logs.notLeader("batches placed in the segment were not released in time; send again");
        }
        return null;
    }

    @Override
    public void afterAppend(Turn turn) {}

    @Override
    public void beforePartitionChange(Object partition) {
        awaitRelease(ofPartition(partition), false);
    }

    @Override
    public void beforeLogChange(Object log) {
        awaitRelease(ofLog(log), false);
    }

    @Override
    public void reconfigured(Object log) {
        revoke(ofLog(log), false);
    }

    private static boolean isHandling(Landing landing) {
        return Thread.currentThread() instanceof LandingHandler handler && handler.isHandling(landing);
    }

    private static boolean isOnLinkOf(Landing landing) {
        return Thread.currentThread() instanceof LandingHandler handler && handler.isHandling(landing.link());
    }

    /** Has the landing's proxy release it, soon, for another writer. Null is nothing to do. Never waits. */
    void revoke(Landing landing) {
        revoke(landing, true);
    }

    /** @param contended whether for another writer, who may come again; what the broker does with the log now and then is no reason to pause */
    void revoke(Landing landing, boolean contended) {
        if (landing != null && !abandonPrepared(landing) && landing.revoke()) {
            counters.increment(PluginMeter.LANDINGS_REVOKED);
            if (contended) {
                contention.observed(landing.log().topic(), landing.log().partition());
            }
            landing.link().ringLandingDoorbell(landing.id());
        }
    }

    /**
     * Waits until anyone may append to the landing's log; null is nothing to wait for. The thread must not be the owner of the landing's link.
     *
     * @param contended see {@link #revoke(Landing, boolean)}
     * @return false if that did not come about within the deadline although its link was cut
     */
    boolean awaitRelease(Landing landing, boolean contended) {
        if (landing == null || abandonPrepared(landing) || landing.isOpen()) {
            return true;
        }
        revoke(landing, contended);
        if (Thread.currentThread() == landing.link().ownerThread()) {
            return landing.ended().isDone();
        }
        if (awaitEnd(landing, config.releaseNs())) {
            return true;
        }
        log.warn(
                "Link {} is cut: it did not release {}-{} within {} ms",
                landing.link().linkId(),
                landing.log().topic(),
                landing.log().partition(),
                TimeUnit.NANOSECONDS.toMillis(config.releaseNs()));
        landing.link().abandon("a landing was not released in time");
        return awaitEnd(landing, 2 * config.releaseNs() + CUT_NS);
    }

    /** True if it was only prepared; it is over then. */
    private boolean abandonPrepared(Landing landing) {
        boolean cancelled = landing.cancel();
        if (cancelled) {
            landing.link().ringLandingDoorbell(landing.id());
            finish(landing);
        }
        return cancelled;
    }

    private boolean awaitEnd(Landing landing, long timeoutNs) {
        try {
            landing.ended().get(timeoutNs, TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a landing's end never fails", e);
        }
    }

    /**
     * See {@link LandingEvents#shouldRoll}. A roll cuts the file behind the log's end, where announced batches wait: they come first. What makes a roll
     * urgent, the size of file and indexes, was left room for when the window was given.
     */
    @Override
    public boolean mayRoll(Object file) {
        Landing landing = index.byFile().get(file);
        if (landing == null || abandonPrepared(landing) || landing.isOpen()) {
            return true;
        }
        revoke(landing, false);
        return false;
    }

    /** Owner of the landing's link: all announced batches were handled. */
    void finish(Landing landing) {
        work.finish(landing);
    }

    /** Owner of the landing's link: the window is not used any more. */
    void retire(Landing landing, LandingWindow window) {
        work.retire(landing, window);
    }

    @Override
    public void close() throws InterruptedException {
        work.close();
        LandingEvents.close(this);
    }
}
