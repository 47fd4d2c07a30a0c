// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.LiveLink;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.fetch.FetchSession;
import io.slipstream.protocol.fetch.SessionlessFetch;
import io.slipstream.proxy.spi.AnswerTranslation;
import io.slipstream.proxy.spi.PendingRequest;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Fetch requests of one client connection, one at a time: which of them the proxy answers, how each ends, and the
 * state kept between them. The client's fetch session is kept here ({@link ClientFetchSession}) for requests on both
 * paths. {@link FetchAttempt} reads. Confined to the event loop.
 */
public final class FetchPath {
    private static final Logger log = LoggerFactory.getLogger(FetchPath.class);

    private final int mostPartitions;
    final Runnable onSessionUnknown;

    final FetchRequestView view = new FetchRequestView();
    /** The client's fetch session. */
    final ClientFetchSession fetchSession;

    /** Null while the current request is not divided. */
    SplitFetch split;

    private final ResponseAssembly assembly;
    private final SharedReads reads;
    final FallbackBackoff backoff = new FallbackBackoff();
    private final FetchAttempt attempt;
    PendingRequest request;
    private ByteBuffer frame;
    boolean closed;
    private boolean hasThrown;
    private Runnable afterClose;

    /** @param onSessionUnknown run when the plugin no longer knows the session although the link is up */
    public FetchPath(FetchResources shared, Runnable onSessionUnknown) {
        this.mostPartitions = shared.settings().partitionsPerFetch();
        this.onSessionUnknown = onSessionUnknown;
        this.fetchSession = new ClientFetchSession(shared.sessions(), mostPartitions);
        this.assembly = new ResponseAssembly(shared.environment().allocator());
        this.reads = shared.reads();
        this.attempt = new FetchAttempt(this, assembly, shared);
    }

    /** Accepts a Fetch; {@code onLink} is up and {@code session} bound on it. One at a time. */
    public void submit(LiveLink onLink, int session, PendingRequest fetch) {
        if (attempt.phase != FetchPhase.IDLE || closed) {
            fetch.fallBack(FallbackReason.NOT_ELIGIBLE);
            return;
        }
        try {
            start(onLink, session, fetch);
        } catch (Throwable e) {
            onThrown(e);
        }
    }

    private void start(LiveLink onLink, int session, PendingRequest fetch) {
        attempt.link = onLink;
        attempt.sessionId = session;
        attempt.account = onLink.reads.of(session);
        if (!take(fetch, null)) {
            return;
        }
        FallbackReason reason = ineligibility(onLink.hello().replicaSelector());
        if (reason != null) {
            passOn(reason);
            return;
        }
        if (view.partitions.count == 0) {
            attempt.plan.reset(0);
            attempt.answer.respond();
            return;
        }
        long now = System.nanoTime();
        FallbackReason held = backoff.reasonAt(now);
        if (held != null) {
            answerByBroker(held, true);
        } else if (!attempt.account.mayAllow(view.minBytes)) {
            answerByBroker(FallbackReason.QUOTA, true);
        } else if (!attempt.cursors.resolve(view.partitions, now)) {
            passOn(FallbackReason.NOT_ELIGIBLE);
        } else {
            attempt.begin(now);
        }
    }

    /**
     * Whether only a broker can answer the request, regardless of its logs. Allocates nothing.
     *
     * @param replicaSelector whether the broker may send consumers with a rack to another replica
     * @return reason against RDMA; null if there is none
     */
    private FallbackReason ineligibility(boolean replicaSelector) {
        if (view.replicaId != FetchRequestView.NONE || (view.hasRack() && replicaSelector)) {
            return FallbackReason.REPLICA;
        } else if (view.partitions.count > mostPartitions) {
            return FallbackReason.LIMIT;
        } else if (view.maxBytes < 0 || view.isolationLevel < 0 || view.isolationLevel > 1) {
            return FallbackReason.NOT_ELIGIBLE;
        }
        for (int i = 0; i < view.partitions.count; i++) {
            if (view.partitions.partition(i) < 0
                    || view.partitions.fetchOffset(i) < 0
                    || view.partitions.maxBytes(i) < 0) {
                return FallbackReason.NOT_ELIGIBLE;
            }
        }
        return null;
    }

    /** Forwards a request that only the broker can answer, as all similar ones. */
    private void passOn(FallbackReason reason) {
        fetchSession.passedOn();
        answerByBroker(reason, false);
    }

    /** Falls back without a link. A session that the client opens is kept here if the link is expected. */
    public void fallBack(PendingRequest fetch, FallbackReason reason) {
        if (attempt.phase != FetchPhase.IDLE || closed || !(fetchSession.isOpen() || reason.isPassing())) {
            fetch.fallBack(reason);
        } else if (take(fetch, reason)) {
            answerByBroker(reason, reason.isPassing());
        }
    }

    /** Whether the client may continue a fetch session that the broker does not know. */
    public boolean hasSession() {
        return fetchSession.isOpen();
    }

    /** Decodes the request and enters its fetch session; false if the request has already ended. */
    private boolean take(PendingRequest fetch, FallbackReason anyway) {
        request = fetch;
        attempt.ahead.unplan();
        frame = fetch.frame().nioBuffer();
        boolean readable = view.wrap(frame, fetch.bodyPosition, fetch.apiVersion);
        if (!readable || (anyway != null && !fetchSession.isOpen() && view.session() != FetchSession.OPENING)) {
            end().fallBack(anyway == null ? FallbackReason.NOT_ELIGIBLE : anyway);
            return false;
        }
        switch (fetchSession.enter(view)) {
            case ENTERED -> {
                return true;
            }
            case OF_BROKER -> end().fallBack(anyway == null ? FallbackReason.NOT_ELIGIBLE : anyway);
            case REFUSED -> {
                Errors error = fetchSession.refusal;
                end().respond(assembly.error(view.version, fetch.correlationId, error));
            }
        }
        return false;
    }

    /** Returns the step as one whose failure ends at most this connection's request. */
    Runnable guarded(Runnable step) {
        return () -> {
            try {
                step.run();
            } catch (Throwable e) {
                onThrown(e);
            }
        };
    }

    /** Something of the request threw: the broker answers it, or its client is disconnected. No other request ends. */
    void onThrown(Throwable thrown) {
        PendingRequest failed = request;
        if (!hasThrown) {
            hasThrown = true;
            log.error("a Fetch failed in the proxy; the next failures of this connection are only counted", thrown);
        }
        try {
            if (failed != null) {
                attempt.fallBack(FallbackReason.INTERNAL_ERROR);
            }
        } catch (Throwable again) {
            attempt.end();
            request = null;
            failed.closeConnection("a Fetch failed in the proxy: " + again);
        }
    }

    /** Called when the attempt cannot answer; nothing of it is outstanding. */
    void onFallBack(FallbackReason reason) {
        backoff.onFallBack(reason);
        answerByBroker(reason, true);
    }

    /** Only the broker can answer for that entry. */
    void divideAt(int entry) {
        attempt.plan.refuse(entry, FallbackReason.NOT_READABLE);
        divide();
    }

    /** Leaves the entries that the plan refuses to the broker, and goes on with the others. */
    void divide() {
        int[] order = fetchSession.order();
        Cursor[] cursors = attempt.cursors.entries;
        attempt.data.release();
        attempt.wait.unpark();
        attempt.wait.expected = false;
        if (split == null) {
            split = new SplitFetch(view, order, reads.budget);
            fetchSession.divided = true;
        }
        long now = System.nanoTime();
        if (!split.divide(attempt.plan, order, cursors, now)) {
            attempt.fallBack(split.reason);
        } else if (attempt.mayRestart() && attempt.cursors.resolve(view.partitions, now)) {
            attempt.readSlotsOrLocate(view.partitions.count, now);
        } else {
            attempt.fallBack(FallbackReason.REVOKED);
        }
    }

    private void unite() {
        split.end();
        split = null;
        fetchSession.divided = false;
    }

    /** Answers with what was read by RDMA, of a divided request once the broker has answered the rest. */
    void respond(ByteBuf response, long records) {
        SplitFetch divided = split;
        if (divided == null) {
            end().respond(response, records);
            return;
        }
        ByteBuffer rest;
        try {
            int maxBytes = Math.min(view.maxBytes, attempt.link.hello().fetchMaxBytes());
            rest = divided.rest(frame, request.bodyPosition, attempt.plan, maxBytes, fetchSession.order());
            unite();
            divided.hold(
                    response, records, fetchSession.incremental ? fetchSession.translation() : fetchSession.opened());
        } catch (Throwable e) {
            response.release();
            throw e;
        }
        end().fallBack(divided.reason, rest, divided);
    }

    /**
     * @param sessionless whether the broker is asked to keep no session; the proxy keeps the one that the client opens
     */
    void answerByBroker(FallbackReason reason, boolean sessionless) {
        if (split != null) {
            unite();
        }
        ByteBuffer asked = frame;
        AnswerTranslation translation = null;
        if (fetchSession.incremental) {
            asked = fetchSession.asked(frame, request.bodyPosition);
            translation = fetchSession.translation();
        } else if (sessionless && view.session().isFull()) {
            SessionlessFetch.patch(frame, request.bodyPosition, view.version);
            translation = fetchSession.opened();
        }
        if (translation == null) {
            end().fallBack(reason);
        } else {
            end().fallBack(reason, asked, translation);
        }
    }

    /** Ends the request; the caller answers it, as its last action. */
    PendingRequest end() {
        PendingRequest ended = request;
        if (split != null) {
            unite();
        }
        attempt.end();
        request = null;
        frame = null;
        return ended;
    }

    /** Answers a waiting request with the available data, and later ones without a wait. */
    public void stopWaiting() {
        attempt.wait.stop();
    }

    /** The session is lost with all its grants. Outstanding READs have been reported before. */
    public void onSessionLost() {
        if (attempt.phase != FetchPhase.IDLE) {
            attempt.fallBack(FallbackReason.LINK_DOWN);
        }
        attempt.ahead.drop();
        forgetCursors();
    }

    private void forgetCursors() {
        if (attempt.link != null) {
            attempt.cursors.clear(attempt.link);
            reads.dropDeserted();
        }
    }

    /**
     * The client's connection is closed. {@code then} runs when no READ of this connection is outstanding. Idempotent.
     */
    public void close(Runnable then) {
        if (closed) {
            return;
        }
        closed = true;
        afterClose = then;
        attempt.ahead.drop();
        if (!attempt.isReading()) {
            giveBack();
        }
    }

    /** Releases resources; the path is closed and no READ is outstanding. */
    void giveBack() {
        fetchSession.close();
        if (attempt.link != null) {
            end();
            forgetCursors();
        }
        attempt.slots.release();
        // Run once: a later chunk callback finds null.
        Runnable then = afterClose;
        afterClose = null;
        then.run();
    }
}
