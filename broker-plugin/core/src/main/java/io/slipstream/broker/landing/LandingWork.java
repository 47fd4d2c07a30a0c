package io.slipstream.broker.landing;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Prepares, extends and ends landings, on a thread of its own: preparing and registering a window takes milliseconds. */
final class LandingWork {
    private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(5);
    private static final int SMALLEST_WINDOW_BYTES = 64 * 1024;
    /** A log that changes more often than that while a window is prepared is better left alone. */
    private static final int MOST_ATTEMPTS = 3;

    private static final Logger logger = LoggerFactory.getLogger(LandingWork.class);
    private static final ControlResponse INTERRUPTED =
            refusal(ControlError.NOT_LANDABLE, "the log was rolled, cut or moved");

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread landing = new Thread(task, "slipstream-landing");
        landing.setDaemon(true);
        return landing;
    });
    private final LandingTable table;

    LandingWork(LandingTable table) {
        this.table = table;
    }

    /** Any thread. */
    CompletableFuture<ControlResponse> prepare(
            LinkLandings landings, LandingLink link, Object requestContext, ControlRequest.PrepareLanding request) {
        CompletableFuture<ControlResponse> answer = new CompletableFuture<>();
        submit(answer, () -> attempt(landings, () -> prepared(landings, link, requestContext, request), answer, 1));
        return answer;
    }

    /** What the broker does with a log now and then, such as looking for old segments, ends a landing that is being prepared: once more. */
    private void attempt(
            LinkLandings landings,
            Supplier<ControlResponse> preparing,
            CompletableFuture<ControlResponse> answer,
            int number) {
        ControlResponse response = preparing.get();
        if (response != INTERRUPTED && response.error() != ControlError.NONE) {
            answer.complete(response);
            return;
        }
        // What was prepared is given out when it was published long enough for others to be noticed before it begins.
        Runnable next = () -> {
            boolean interrupted = response == INTERRUPTED || !isPrepared(landings, response);
            if (interrupted && number < MOST_ATTEMPTS) {
                attempt(landings, preparing, answer, number + 1);
            } else {
                answer.complete(interrupted ? INTERRUPTED : response);
            }
        };
        thread.schedule(() -> guarded(answer, next), Landing.ALONE_NS, TimeUnit.NANOSECONDS);
    }

    private static boolean isPrepared(LinkLandings landings, ControlResponse response) {
        Grant landing = landings.get(((ControlResponse.PrepareLanding) response).landingId());
        return landing instanceof Landing alone && alone.state() == Landing.State.PREPARED;
    }

    /** Any thread. */
    CompletableFuture<ControlResponse> extend(LinkLandings landings, ControlRequest.ExtendLanding request) {
        CompletableFuture<ControlResponse> answer = new CompletableFuture<>();
        submit(answer, () -> answer.complete(extended(landings, request)));
        return answer;
    }

    private void submit(CompletableFuture<ControlResponse> answer, Runnable step) {
        try {
            thread.execute(() -> guarded(answer, step));
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(e);
        }
    }

    private static void guarded(CompletableFuture<ControlResponse> answer, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            logger.error("A landing could not be prepared", e);
            answer.completeExceptionally(e);
        }
    }

    private ControlResponse prepared(
            LinkLandings landings, LandingLink link, Object requestContext, ControlRequest.PrepareLanding request) {
        LandableLogs.Outcome outcome = table.logs().resolve(requestContext, request);
        int id = landings.freeId();
        if (outcome.refusal() != null) {
            return refusal(ControlError.NOT_LANDABLE, outcome.refusal());
        } else if (id < 0) {
            return refusal(ControlError.LIMIT, "this link has as many landings as it may have");
        }
        LandableLog log = outcome.log();
        if (table.contention().leftNs(log.topic(), log.partition()) > 0) {
            return refusal(ControlError.CONTENDED, "others wrote to the partition");
        }
        Landing landing;
        int end;
        synchronized (log.monitor()) {
            String refusal = log.refusal();
            if (refusal != null) {
                return refusal(ControlError.NOT_LANDABLE, refusal);
            }
            LandableLog.ActiveSegment segment = log.activeSegment();
            int window = table.config().windowBytes();
            int start = segment.sizeBytes();
            end = (int) Math.min((long) start + window, segment.limitBytes(window));
            if (end - start < SMALLEST_WINDOW_BYTES) {
                return refusal(ControlError.LIMIT, "the active segment is nearly full");
            } else if (LandingEvents.willRoll(segment.identity())) {
                return refusal(ControlError.LIMIT, "the log continues in another segment, since recovery cut this one");
            }
            landing = new Landing(table, log, segment, link, id, System.nanoTime());
            if (!landings.put(landing)) {
                return refusal(ControlError.UNKNOWN_HANDLE, "the link is over");
            } else if (!table.add(landing)) {
                landings.remove(landing);
                return refusal(ControlError.CONTENDED, "batches are placed there already, or in too many partitions");
            }
        }
        return windowOf(landings, landing, end);
    }

    private ControlResponse windowOf(LinkLandings landings, Landing landing, int end) {
        ControlResponse failure = INTERRUPTED;
        try {
            WindowFile.prepare(landing.log(), landing.segment(), () -> landing.state() == Landing.State.PREPARED, end);
            landing.extend(
                    landings.window(landing.segment().path(), landing.segment().sizeBytes(), end));
            if (landing.state() == Landing.State.PREPARED) {
                return new ControlResponse.PrepareLanding(
                        ControlError.NONE,
                        null,
                        landing.log().topicId(),
                        landing.log().topic(),
                        landing.id(),
                        landing.window().name(),
                        RemoteMemory.NONE);
            }
        } catch (IOException | RuntimeException e) {
            failure = refusal(ControlError.NOT_LANDABLE, String.valueOf(e.getMessage()));
        }
        if (landing.cancel()) {
            dissolve(landing, false);
            return failure;
        }
        return INTERRUPTED;
    }

    private ControlResponse extended(LinkLandings landings, ControlRequest.ExtendLanding request) {
        Landing landing = (Landing) landings.get(request.landingId());
        if (landing == null || landing.state() != Landing.State.ACTIVE) {
            return ControlApi.EXTEND_LANDING.refusal(ControlError.UNKNOWN_HANDLE, "no such landing");
        }
        LandingWindow window = landing.window();
        int bytes = table.config().windowBytes();
        int end;
        synchronized (landing.log().monitor()) {
            end = (int) Math.min(
                    (long) request.position() + bytes, landing.segment().limitBytes(2 * bytes));
        }
        if (!window.holds(request.position(), 0) || end <= window.end() || landing.previousWindow() != null) {
            return ControlApi.EXTEND_LANDING.refusal(ControlError.LIMIT, "the active segment is nearly full");
        }
        try {
            WindowFile.extend(landing.segment(), window.end(), end);
            landing.extend(landings.window(landing.segment().path(), request.position(), end));
            return new ControlResponse.ExtendLanding(
                    ControlError.NONE, null, landing.window().name());
        } catch (IOException e) {
            return ControlApi.EXTEND_LANDING.refusal(ControlError.LIMIT, e.getMessage());
        }
    }

    /** Any thread: the landing was cancelled, or its batches were all handled. */
    void finish(Landing landing) {
        boolean wasActive = landing.state() != Landing.State.CANCELLED;
        try {
            thread.execute(() -> dissolve(landing, wasActive));
        } catch (RejectedExecutionException e) {
            logger.warn(
                    "{}-{} is not let go: the broker shuts down",
                    landing.log().topic(),
                    landing.log().partition());
        }
    }

    /** Any thread: batches were placed beyond it, so that none comes through it any more. */
    void retire(Landing landing, LandingWindow window) {
        thread.execute(() -> {
            if (landing.previousWindow() == window) {
                landing.retirePrevious();
                window.region().deregister(table.config().releaseNs());
            }
        });
    }

    /** Fences the peer, cuts the file to the log's bytes and lets others append. */
    private void dissolve(Landing landing, boolean wasActive) {
        boolean fenced = fence(landing);
        table.counters().fenced(fenced);
        LandingEnd.cut(
                landing.log(),
                landing.segment(),
                fenced,
                landing.link().landings().pinsFiles());
        table.remove(landing);
        landing.link().landings().remove(landing);
        if (wasActive) {
            table.counters().increment(PluginMeter.LANDINGS_ENDED);
        }
        landing.end();
    }

    private boolean fence(Landing landing) {
        if (landing.previousWindow() != null) {
            landing.retirePrevious();
        }
        if (landing.window() != null) {
            landing.retired().add(landing.window());
        }
        return landing.link().landings().fence(landing.retired(), table.config().releaseNs());
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
