// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.slipstream.link.LinkMeters;
import io.slipstream.link.LiveLink;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.fetch.SessionlessFetch;
import io.slipstream.protocol.wire.RequestHeaderView;
import io.slipstream.proxy.config.FastPathSettings;
import io.slipstream.proxy.count.PartitionTable;
import io.slipstream.proxy.spi.AnswerTranslation;
import io.slipstream.proxy.spi.FallbackReason;
import io.slipstream.proxy.spi.PendingRequest;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Errors;

/**
 * The Fetch requests of one client connection, one at a time: which may be answered here, how each ends, and what is
 * kept of the client between them. Its fetch session is kept here ({@link ClientFetchSession}), whichever way its
 * requests take. {@link FetchAttempt} reads. Confined to the event loop.
 */
public final class FetchPath {
    private final int mostPartitions;
    private final Runnable onSessionUnknown;
    private final RequestHeaderView header = new RequestHeaderView();
    private final FetchRequestView view = new FetchRequestView();
    private final ClientFetchSession fetchSession;
    private final ResponseAssembly assembly;
    private final FallbackBackoff backoff = new FallbackBackoff();
    private final FetchAttempt attempt;
    private PendingRequest request;
    private ByteBuffer frame;
    private boolean closed;
    private Runnable afterClose;

    /**
     * @param partitions where what is served is counted for those who look on
     * @param onSessionUnknown run when the plugin does not know the session any more although the link is up
     */
    public FetchPath(
            EventLoop loop,
            ByteBufAllocator allocator,
            LinkMeters meters,
            SharedReads reads,
            FetchSessions sessions,
            FastPathSettings settings,
            PartitionTable partitions,
            Runnable onSessionUnknown) {
        this.mostPartitions = settings.partitionsPerFetch();
        this.onSessionUnknown = onSessionUnknown;
        this.fetchSession = new ClientFetchSession(sessions, settings.partitionsPerFetch());
        this.assembly = new ResponseAssembly(allocator);
        FetchAnswer answer = new FetchAnswer(this, loop, meters, view, assembly);
        this.attempt = new FetchAttempt(this, answer, loop, meters, reads, view, settings, partitions);
        answer.attach(attempt);
    }

    /** Takes a Fetch; {@code onLink} is up and {@code session} bound on it. One at a time. */
    public void submit(LiveLink onLink, int session, PendingRequest fetch) {
        if (!attempt.isIdle() || closed) {
            fetch.fallBack(FallbackReason.NOT_ELIGIBLE);
            return;
        }
        attempt.enter(onLink, session);
        if (!take(fetch, null)) {
            return;
        }
        FallbackReason reason =
                FetchEligibility.reasonAgainst(view, onLink.hello().replicaSelector(), mostPartitions);
        if (reason != null) {
            passOn(reason);
            return;
        }
        if (view.partitionCount() == 0) {
            attempt.plan.reset(0);
            attempt.answer.respond();
            return;
        }
        long now = System.nanoTime();
        FallbackReason held = backoff.reasonAt(now);
        if (held != null) {
            answerByBroker(held, true);
        } else if (!attempt.account.mayAllow(view.minBytes())) {
            answerByBroker(FallbackReason.QUOTA, true);
        } else if (!attempt.cursors.resolve(view.partitions(), now)) {
            passOn(FallbackReason.NOT_ELIGIBLE);
        } else {
            attempt.begin(now);
            onLink.drain();
        }
    }

    /** For what only the broker can answer, and will have to again. */
    private void passOn(FallbackReason reason) {
        fetchSession.passedOn();
        answerByBroker(reason, false);
    }

    /** Falls back without any link. */
    public void fallBack(PendingRequest fetch, FallbackReason reason) {
        if (!attempt.isIdle() || closed || !fetchSession.isOpen()) {
            fetch.fallBack(reason);
        } else if (take(fetch, reason)) {
            answerByBroker(reason, false);
        }
    }

    /** Whether the broker does not know the fetch session that the client may go on with. */
    public boolean hasSession() {
        return fetchSession.isOpen();
    }

    /** Takes the request apart and enters its fetch session; false if it is done with then. */
    private boolean take(PendingRequest fetch, FallbackReason anyway) {
        request = fetch;
        attempt.ahead.unplan();
        frame = fetch.frame().nioBuffer();
        if (!header.wrap(frame) || !view.wrap(frame, header.bodyPosition(), header.apiVersion())) {
            end().fallBack(anyway == null ? FallbackReason.NOT_ELIGIBLE : anyway);
            return false;
        }
        switch (fetchSession.enter(view)) {
            case ENTERED -> {
                return true;
            }
            case OF_BROKER -> end().fallBack(anyway == null ? FallbackReason.NOT_ELIGIBLE : anyway);
            case REFUSED -> {
                Errors error = fetchSession.refusal();
                end().respond(assembly.error(view.version(), header.correlationId(), error));
            }
        }
        return false;
    }

    boolean isClosed() {
        return closed;
    }

    int correlationId() {
        return header.correlationId();
    }

    /** The fetch session of the client. */
    ClientFetchSession session() {
        return fetchSession;
    }

    void onSessionUnknown() {
        onSessionUnknown.run();
    }

    /** The attempt is about to answer. */
    void onAnswered() {
        backoff.onAnswered();
    }

    /** The attempt cannot answer; nothing of it is outstanding. */
    void onFallBack(FallbackReason reason) {
        backoff.onFallBack(reason);
        answerByBroker(reason, true);
    }

    /**
     * @param sessionless whether the broker is asked to keep no session, so that later full fetches can be served here
     */
    private void answerByBroker(FallbackReason reason, boolean sessionless) {
        if (fetchSession.isIncremental()) {
            ByteBuffer full = fetchSession.asked(frame, header.bodyPosition());
            AnswerTranslation translation = fetchSession.translation();
            end().fallBack(reason, full, translation);
            return;
        }
        if (sessionless && view.session().isFull()) {
            SessionlessFetch.patch(frame, header.bodyPosition(), view.version());
        }
        end().fallBack(reason);
    }

    /** The request is still to be answered by the caller, as the last thing it does. */
    PendingRequest end() {
        PendingRequest ended = request;
        attempt.end();
        request = null;
        frame = null;
        return ended;
    }

    /**
     * Answers the request that waits, if one does, with what there is, and later ones as if their clients would not
     * wait.
     */
    public void stopWaiting() {
        attempt.wait.stop();
    }

    /** The session is gone, and all grants with it. READs that were outstanding have been reported before. */
    public void onSessionLost() {
        if (!attempt.isIdle()) {
            attempt.fallBack(FallbackReason.LINK_DOWN);
        }
        attempt.ahead.drop();
        attempt.forgetCursors();
    }

    /** The client is gone. {@code then} runs when nothing of this connection is read any more. Idempotent. */
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

    /** Closed, and nothing is read any more. */
    void giveBack() {
        fetchSession.close();
        if (attempt.link != null) {
            end();
            attempt.forgetCursors();
        }
        attempt.slots.release();
        // Once: who is told of a chunk after that has not left it.
        Runnable then = afterClose;
        afterClose = null;
        then.run();
    }
}
