// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.fetch.IncrementalFetchResponse;
import io.slipstream.protocol.fetch.SessionlessFetchWriter;
import io.slipstream.proxy.spi.AnswerTranslation;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Errors;

/**
 * The fetch session of one client connection, one request at a time. Confined to its event loop.
 *
 * <pre>
 *   NONE ──full request that opens one, answered here──▶ OPEN ──incremental requests──▶ OPEN
 *     ▲                                                    │
 *     └── closed or opened anew by the client, emptied, ───┘
 *         too large, evicted
 * </pre>
 *
 * <p>A session that the client opened at the broker, before its requests could use RDMA, is reported as unknown; the
 * client then opens one here. The exception is a session whose opening request only the broker can answer: all its
 * requests belong to the broker. A request that closes a session not known here goes to the broker, once: the session
 * has ended then, and clients may name it in all their later requests.
 */
final class ClientFetchSession {
    /** What happens to a request. */
    enum Entry {
        /** Serve it as the view shows it now. */
        ENTERED,
        /** Forward it unchanged. */
        OF_BROKER,
        /** Answer with {@link #refusal}. */
        REFUSED
    }

    private final FetchSessions sessions;
    private final int mostPartitions;
    private final SessionlessFetchWriter writer = new SessionlessFetchWriter();
    private IncrementalSession session;
    private FetchRequestView request;
    /** Whether the current request belongs to an open session. */
    boolean incremental;

    private boolean opening;
    /** Whether the view shows a part of the current request, in the order of serving; its answer names all of it. */
    boolean divided;

    private boolean openedAtBroker;
    /** The session that ended last, here or at the broker. */
    private int endedId;

    Errors refusal;
    /** For requests without a session: entries in their own order. */
    private int[] asListed = {};

    /** In the order of the answer. */
    int[] answered = {};
    /** Of the answer, by entry. */
    private int[] recordBytes = {};

    ClientFetchSession(FetchSessions sessions, int mostPartitions) {
        this.sessions = sessions;
        this.mostPartitions = mostPartitions;
    }

    boolean isOpen() {
        return session != null;
    }

    Entry enter(FetchRequestView fetch) {
        request = fetch;
        incremental = false;
        opening = false;
        Entry entry = switch (fetch.session()) {
            case SESSIONLESS -> Entry.ENTERED;
            case CLOSING -> enterClosing();
            case OPENING -> {
                close();
                opening = true;
                openedAtBroker = false;
                yield Entry.ENTERED;
            }
            case INCREMENTAL -> enterIncremental();
        };
        if (entry == Entry.ENTERED) {
            list(fetch.partitions.count);
        }
        return entry;
    }

    private boolean isNamed() {
        return session != null && session.id == request.sessionId;
    }

    private Entry enterClosing() {
        int id = request.sessionId;
        if (isNamed()) {
            close();
        } else if (id != endedId || id < 0) {
            // To some negative ids a broker answers with an error.
            endedId = id;
            return Entry.OF_BROKER;
        }
        return Entry.ENTERED;
    }

    private Entry enterIncremental() {
        if (openedAtBroker && !isNamed()) {
            return Entry.OF_BROKER;
        } else if (!isNamed() || !sessions.use(session)) {
            return refuse(Errors.FETCH_SESSION_ID_NOT_FOUND);
        }
        Errors error = session.update(request);
        if (error == Errors.NONE && !sessions.charge(session)) {
            error = Errors.FETCH_SESSION_ID_NOT_FOUND;
        }
        if (error != Errors.NONE) {
            return refuse(error);
        }
        request.show(session.partitions);
        incremental = !session.isEmpty();
        if (session.isEmpty()) {
            close();
        }
        return Entry.ENTERED;
    }

    private Entry refuse(Errors error) {
        refusal = error;
        if (error == Errors.FETCH_SESSION_ID_NOT_FOUND && isNamed()) {
            close();
        }
        return Entry.REFUSED;
    }

    private void list(int entries) {
        if (answered.length < entries) {
            answered = new int[Math.max(8, Integer.highestOneBit(entries) * 2)];
            asListed = new int[answered.length];
            recordBytes = new int[answered.length];
            for (int i = 0; i < asListed.length; i++) {
                asListed[i] = i;
            }
        }
    }

    /** The entries of the current request in the order of serving. */
    int[] order() {
        return incremental && !divided ? session.order : asListed;
    }

    /** The session id in the answer, after {@link #answer}; 0 for none. */
    int id() {
        return !divided && (incremental || opening && session != null) ? session.id : 0;
    }

    /** Selects the entries in the answer, {@link #answered}; returns their number. */
    int answer(ReadPlan plan) {
        int entries = request.partitions.count;
        if (opening && !divided && open()) {
            for (int i = 0; i < entries; i++) {
                session.tell(i, plan.entries[i].highWatermark, plan.entries[i].logStartOffset);
            }
        }
        int[] order = order();
        int count = 0;
        for (int k = 0; k < entries; k++) {
            int i = order[k];
            ReadPlan.Entry entry = plan.entries[i];
            recordBytes[i] = entry.recordBytes;
            if (!incremental
                    || divided
                    || session.mustTell(i, entry.highWatermark, entry.logStartOffset, entry.recordBytes)) {
                answered[count++] = i;
            }
        }
        if (incremental && !divided) {
            session.served(recordBytes);
        }
        return count;
    }

    /** Opens the session that the current request asks for; false if there is no room. */
    private boolean open() {
        session = sessions.open(request.version >= 13, mostPartitions);
        if (session != null) {
            session.add(request.partitions);
            if (!sessions.charge(session)) {
                sessions.end(session);
                session = null;
            }
        }
        return session != null;
    }

    /** The current request, and similar later ones, must be answered by the broker. */
    void passedOn() {
        openedAtBroker = opening;
    }

    /** The current incremental request as a sessionless request to the broker. */
    ByteBuffer asked(ByteBuffer frame, int bodyPosition) {
        return writer.write(frame, bodyPosition, request, session.order).flip();
    }

    /**
     * Opens the session that the current request asks for, and translates the broker's answer to the request without a
     * session. Null if the request opens none or there is no space.
     */
    AnswerTranslation opened() {
        return opening && request.partitions.count <= mostPartitions && open() ? translation() : null;
    }

    /** Translates the broker's answer to the current request without a session. */
    AnswerTranslation translation() {
        IncrementalSession asking = session;
        boolean opens = opening;
        short version = request.version;
        return response -> translate(asking, opens, version, response);
    }

    private int translate(IncrementalSession asking, boolean opens, short version, ByteBuffer response) {
        int[] served = new int[asking.partitions.count];
        IncrementalFetchResponse answer = new IncrementalFetchResponse(response, version);
        if (!answer.select((partitions, entry, what) -> asking.mustTell(partitions, entry, what, served) || opens)) {
            return -1;
        }
        if (!opens) {
            asking.served(served);
        } else if (answer.error() != Errors.NONE.code() || answer.selected < served.length) {
            // Brokers open no session with an error of the whole answer or with a throttled answer.
            if (session == asking) {
                close();
            }
            return response.remaining();
        }
        return answer.write(asking.id);
    }

    /** Ends the open session. Idempotent. */
    void close() {
        if (session != null) {
            endedId = session.id;
            sessions.end(session);
            session = null;
        }
    }
}
