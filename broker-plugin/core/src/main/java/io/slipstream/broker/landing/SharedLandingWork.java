package io.slipstream.broker.landing;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.rdma.MemoryRegion;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Prepares, extends, watches and dissolves shared landings, on a thread of its own. Methods: any thread, never waiting, but for {@link #close}. */
final class SharedLandingWork {
    private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(5);
    private static final int SMALLEST_WINDOW_BYTES = 64 * 1024;
    private static final Logger logger = LoggerFactory.getLogger(SharedLandingWork.class);

    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1, task -> {
        Thread landing = new Thread(task, "slipstream-landing");
        landing.setDaemon(true);
        return landing;
    });
    private final SharedLandings table;

    SharedLandingWork(SharedLandings table) {
        this.table = table;
        // What is only watched needs no watching when the broker shuts down.
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    CompletableFuture<ControlResponse> prepare(
            LinkLandings landings, LandingLink link, Object requestContext, ControlRequest.PrepareLanding request) {
        CompletableFuture<ControlResponse> answer = new CompletableFuture<>();
        run(
                () -> {
                    ControlResponse response = prepared(landings, link, requestContext, request);
                    // Published long enough for others to be noticed before it begins.
                    long delayNs = response.error() == ControlError.NONE ? Landing.ALONE_NS : 0;
                    thread.schedule(() -> answer.complete(response), delayNs, TimeUnit.NANOSECONDS);
                },
                answer);
        return answer;
    }

    CompletableFuture<ControlResponse> extend(LinkLandings landings, ControlRequest.ExtendLanding request) {
        CompletableFuture<ControlResponse> answer = new CompletableFuture<>();
        run(() -> answer.complete(extended(landings, request)), answer);
        return answer;
    }

    private void run(Runnable step) {
        run(step, new CompletableFuture<>());
    }

    /** @param answer fails if the step does */
    private void run(Runnable step, CompletableFuture<?> answer) {
        try {
            thread.execute(() -> guarded(step, answer));
        } catch (RejectedExecutionException e) {
            logger.warn("A landing is not seen to: the broker shuts down");
            answer.completeExceptionally(e);
        }
    }

    private static void guarded(Runnable step, CompletableFuture<?> answer) {
        try {
            step.run();
        } catch (RuntimeException e) {
            logger.error("A landing could not be seen to", e);
            answer.completeExceptionally(e);
        }
    }

    private ControlResponse prepared(
            LinkLandings landings, LandingLink link, Object requestContext, ControlRequest.PrepareLanding request) {
        LandableLogs.Outcome outcome = table.logs().resolve(requestContext, request);
        if (outcome.refusal() != null) {
            return refusal(ControlError.NOT_LANDABLE, outcome.refusal());
        }
        LandableLog log = outcome.log();
        if (table.contention().leftNs(log.topic(), log.partition()) > 0) {
            return refusal(ControlError.CONTENDED, "the partition was written in a way that takes no turns");
        }
        SharedLanding landing = table.ofLog(log.identity());
        boolean isNew = landing == null;
        try {
            if (isNew) {
                landing = begun(log);
            }
            return granted(landings, landing, link);
        } catch (LandingRefusedException e) {
            return refusal(e.error(), e.getMessage());
        } catch (IOException | RuntimeException e) {
            return refusal(ControlError.NOT_LANDABLE, String.valueOf(e.getMessage()));
        } finally {
            if (landing != null && landing.anyGrant() == null) {
                landing.close(SharedLanding.Reason.UNUSED);
            }
        }
    }

    private SharedLanding begun(LandableLog log) throws IOException, LandingRefusedException {
        SharedLanding landing;
        int end;
        synchronized (log.monitor()) {
            String refusal = log.refusal();
            if (refusal != null) {
                throw new LandingRefusedException(ControlError.NOT_LANDABLE, refusal);
            }
            LandableLog.ActiveSegment segment = log.activeSegment();
            int window = table.config().windowBytes();
            int start = segment.sizeBytes();
            end = (int) Math.min((long) start + window, segment.limitBytes(window));
            if (end - start < SMALLEST_WINDOW_BYTES || LandingEvents.willRoll(segment.identity())) {
                throw new LandingRefusedException(ControlError.LIMIT, "the log continues in another segment soon");
            }
            landing = new SharedLanding(table, log, segment);
            if (!table.add(landing)) {
                throw new LandingRefusedException(ControlError.LIMIT, "batches are placed in too many partitions");
            }
        }
        SharedLanding published = landing;
        try {
            WindowFile.prepare(log, landing.segment(), () -> published.state() == SharedLanding.State.PREPARED, end);
        } catch (IOException e) {
            landing.close(SharedLanding.Reason.UNUSED);
            throw e;
        }
        landing.grown(end);
        return landing;
    }

    private ControlResponse granted(LinkLandings landings, SharedLanding landing, LandingLink link)
            throws IOException, LandingRefusedException {
        int id = landings.freeId();
        if (!landing.takesLinks()) {
            throw new LandingRefusedException(ControlError.CONTENDED, "batches that were placed are being seen to");
        } else if (id < 0) {
            throw new LandingRefusedException(ControlError.LIMIT, "this link has as many landings as it may have");
        }
        // Until somebody has begun all append as ever, perhaps beyond what was prepared.
        int start = landing.segment().sizeBytes();
        if (landing.fileEnd() - start < SMALLEST_WINDOW_BYTES) {
            throw new LandingRefusedException(ControlError.LIMIT, "the window is full before anybody has begun");
        }
        SharedGrant other = landing.anyGrant();
        MemoryRegion word = landings.word(other == null ? null : other.word());
        SharedGrant grant = new SharedGrant(landing, link, id, word);
        boolean joined = false;
        try {
            grant.extend(landings.window(landing.segment().path(), start, landing.fileEnd()));
            if (other == null) {
                landing.reserveIn(table.word(word));
            }
            joined = landings.put(grant) && landing.join(grant);
        } finally {
            if (!joined) {
                fence(grant);
            }
        }
        if (!joined) {
            throw new LandingRefusedException(ControlError.CONTENDED, "the landing or the link is over");
        }
        return new ControlResponse.PrepareLanding(
                ControlError.NONE,
                null,
                landing.log().topicId(),
                landing.log().topic(),
                id,
                grant.window().name(),
                new RemoteMemory(word.address(), Long.BYTES, word.rkey()));
    }

    private ControlResponse extended(LinkLandings landings, ControlRequest.ExtendLanding request) {
        SharedGrant grant = (SharedGrant) landings.get(request.landingId());
        if (grant == null || grant.landing().state() != SharedLanding.State.ACTIVE) {
            return ControlApi.EXTEND_LANDING.refusal(ControlError.UNKNOWN_HANDLE, "no such landing");
        }
        SharedLanding landing = grant.landing();
        grown(landing, request.position());
        if (landing.fileEnd() <= grant.window().end() || !grant.window().holds(request.position(), 0)) {
            return ControlApi.EXTEND_LANDING.refusal(ControlError.LIMIT, "the active segment is nearly full");
        }
        try {
            grant.extend(landings.window(landing.segment().path(), request.position(), landing.fileEnd()));
            return new ControlResponse.ExtendLanding(
                    ControlError.NONE, null, grant.window().name());
        } catch (IOException | RuntimeException e) {
            return ControlApi.EXTEND_LANDING.refusal(ControlError.LIMIT, String.valueOf(e.getMessage()));
        }
    }

    void grow(SharedLanding landing) {
        run(() -> grown(landing, 0));
    }

    /** Has the file reach a window further, if less than that is left, behind the log's end or what is reserved, and the segment has so much room. */
    private void grown(SharedLanding landing, int reservedEnd) {
        int start = landing.fileEnd();
        int window = table.config().windowBytes();
        int end = start;
        if (landing.state() == SharedLanding.State.ACTIVE
                && start - Math.max(reservedEnd, landing.segment().sizeBytes()) < window) {
            synchronized (landing.log().monitor()) {
                end = (int) Math.min((long) start + window, landing.segment().limitBytes(2 * window));
            }
        }
        try {
            if (end > start) {
                WindowFile.extend(landing.segment(), start, end);
            }
        } catch (IOException e) {
            logger.warn("{} could not be made longer", landing.segment().path(), e);
            end = start;
        }
        landing.grown(end);
    }

    void watch(SharedLanding landing) {
        again(landing, table.config().releaseNs());
    }

    private void again(SharedLanding landing, long inNs) {
        later(
                () -> {
                    long nextNs = landing.findHole();
                    if (nextNs > 0) {
                        again(landing, nextNs);
                    }
                },
                inNs);
    }

    /** Links that do not end their part in time are cut. */
    void abandonLate(SharedLanding landing) {
        later(
                () -> {
                    for (LandingLink link : landing.late()) {
                        logger.warn(
                                "Link {} is cut: it did not release {}-{} in time",
                                link.linkId(),
                                landing.log().topic(),
                                landing.log().partition());
                        link.abandon("a landing was not released in time");
                    }
                },
                table.config().releaseNs());
    }

    private void later(Runnable step, long inNs) {
        try {
            thread.schedule(() -> guarded(step, new CompletableFuture<>()), inNs, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            logger.warn("A landing is not watched: the broker shuts down");
        }
    }

    /** A link left a landing that goes on. */
    void release(SharedGrant grant) {
        run(() -> {
            if (!fence(grant)) {
                grant.landing().closeUnfenced();
            }
        });
    }

    /** In CLOSING, when all links have ended their part. */
    void dissolve(SharedLanding landing) {
        run(() -> dissolved(landing));
    }

    private void dissolved(SharedLanding landing) {
        boolean fenced = !landing.isUnfenced();
        boolean pins = false;
        for (SharedGrant grant : landing.grants()) {
            pins |= grant.link().landings().pinsFiles();
            fenced &= fence(grant);
        }
        List<Turn> turns = landing.copyWaiting();
        LandingEnd.cut(landing.log(), landing.segment(), fenced, pins);
        if (landing.wasActive()) {
            table.counters().increment(PluginMeter.LANDINGS_ENDED);
        }
        landing.drain(turns);
    }

    private boolean fence(SharedGrant grant) {
        LinkLandings landings = grant.link().landings();
        boolean fenced = landings.fence(grant.windows(), table.config().releaseNs());
        table.counters().fenced(fenced);
        landings.forget(grant.word(), table.config().releaseNs());
        landings.remove(grant);
        return fenced;
    }

    private static ControlResponse refusal(ControlError error, String message) {
        return ControlApi.PREPARE_LANDING.refusal(error, message);
    }

    /** After the last link ended; waits for the last landing's end. */
    void close() throws InterruptedException {
        long deadlineNs = System.nanoTime() + CLOSE_NS;
        while (!table.isIdle() && System.nanoTime() - deadlineNs < 0) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        thread.shutdown();
        thread.awaitTermination(CLOSE_NS, TimeUnit.NANOSECONDS);
    }
}
