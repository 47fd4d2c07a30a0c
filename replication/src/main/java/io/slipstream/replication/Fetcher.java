// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import io.netty.buffer.ByteBuf;
import io.slipstream.broker.config.TopicSet;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.link.ring.RingClient;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.replication.LeaderSession.Bound;
import io.slipstream.replication.ReplicationMeters.Fallback;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import kafka.server.FetcherLagMetrics;
import kafka.server.FetcherLagStats;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the fetches of one of Kafka's fetcher threads by RDMA. That thread calls {@link #send} and waits for the answer
 * as it would for a socket. Kafka's own code made the request and uses the answer. A fetch may be repeated: its session
 * at the leader finds out. So every failure only means that the same fetch goes over TCP.
 */
public final class Fetcher implements RingClient<FetchCall> {
    private static final Logger log = LoggerFactory.getLogger(Fetcher.class);
    /** In addition to the time that the leader may wait for records. */
    private static final long ANSWER_TIMEOUT_MS = 5_000;
    /** Larger answers come in parts, which costs both brokers more than TCP with {@code sendfile}. */
    private static final int MOST_ANSWER_BYTES = RingFrame.FILE_PART_BYTES;
    /** How long fetches take TCP after a larger answer. */
    private static final long LARGE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final LeaderSession session;
    private final String clientId;
    /** Kafka's own, by partition; null without them. */
    private final FetcherLagStats lags;

    private final ReplicationMeters allMeters;
    private final LeaderMeters meters;
    private final TopicSet excluded;
    private int correlationId;
    private long largeUntilNs = System.nanoTime();
    /** Whether the leader's session of this fetcher has a partition of an excluded topic. */
    private boolean fetchesExcluded;

    private volatile long lastFetchNs = System.nanoTime();
    private volatile boolean usesRdma;
    private volatile boolean closed;

    /**
     * @param clientId as in requests over TCP
     * @param lags of the fetcher thread's partitions; null if unknown
     */
    public Fetcher(
            LeaderSession session, String clientId, TopicSet excluded, FetcherLagStats lags, ReplicationMeters meters) {
        this.session = session;
        this.excluded = excluded;
        this.clientId = clientId;
        this.lags = lags;
        this.allMeters = meters;
        this.meters = meters.join(this, session.leader());
    }

    /** The fetcher's thread. Returns null if the request must take TCP. */
    ClientResponse send(FetchRequest.Builder builder) {
        return end(begin(builder));
    }

    /** The fetcher's thread: has the request sent, and waits. Returns null if the request must take TCP. */
    public FetchCall begin(FetchRequest.Builder builder) {
        long nowNs = System.nanoTime();
        lastFetchNs = nowNs;
        Bound bound = closed || fetchesExcluded(builder) || largeUntilNs - nowNs > 0 ? null : session.bound();
        return bound == null ? null : ask(bound, builder);
    }

    /** The fetcher's thread, which no longer waits. Returns null if the request must take TCP. */
    public ClientResponse end(FetchCall call) {
        ClientResponse response = call == null ? null : response(call);
        usesRdma = response != null;
        meters.fetched(response != null);
        return response;
    }

    /** A request names the partitions that are new in its session; one that begins a session names all. */
    private boolean fetchesExcluded(FetchRequest.Builder builder) {
        if (!excluded.isEmpty()) {
            fetchesExcluded = fetchesExcluded && !builder.metadata().isFull()
                    || builder.fetchData().keySet().stream().anyMatch(each -> excluded.includes(each.topic()));
        }
        return fetchesExcluded;
    }

    private FetchCall ask(Bound bound, FetchRequest.Builder builder) {
        FetchRequest request = builder.build(builder.latestAllowedVersion());
        RequestHeader header = new RequestHeader(ApiKeys.FETCH, request.version(), clientId, ++correlationId);
        ByteBuffer frame = request.serializeWithHeader(header);
        if (frame.remaining() > bound.link().requests.maxFrameBytes) {
            meters.fellBack(Fallback.RING_FULL);
            return null;
        }
        FetchCall call = new FetchCall(this, bound, header, frame);
        long waitNs = TimeUnit.MILLISECONDS.toNanos(request.maxWait() + ANSWER_TIMEOUT_MS);
        try {
            session.loop().await(call, call, System.nanoTime() + waitNs);
        } catch (RuntimeException | Error e) {
            log.error("a fetch of {} failed", clientId, e);
        }
        return call;
    }

    private ClientResponse response(FetchCall call) {
        RequestHeader header = call.header;
        ByteBuf answer = answer(call);
        if (answer == null) {
            return null;
        }
        try {
            // Kafka keeps the records until they are appended, so they must not be in memory that is used again.
            byte[] bytes = new byte[answer.readableBytes() - Integer.BYTES];
            answer.getBytes(answer.readerIndex() + Integer.BYTES, bytes);
            AbstractResponse body = AbstractResponse.parseResponse(ByteBuffer.wrap(bytes), header);
            meters.received(bytes.length);
            if (bytes.length > MOST_ANSWER_BYTES) {
                largeUntilNs = System.nanoTime() + LARGE_NS;
            }
            String leader = Integer.toString(session.leader());
            return new ClientResponse(
                    header, null, leader, call.createdMs, System.currentTimeMillis(), false, null, null, body);
        } catch (RuntimeException e) {
            log.warn("an answer to {} could not be read", clientId, e);
            meters.fellBack(Fallback.UNREADABLE);
            session.release(call.bound, "an answer could not be read");
            return null;
        } finally {
            answer.release();
        }
    }

    /** Returns the answer, which the caller releases; null after a failure. */
    private ByteBuf answer(FetchCall call) {
        ByteBuf answer = call.result();
        if (answer == null && !closed) {
            meters.fellBack(call.failure());
            if (call.isCancelled()) {
                session.release(call.bound, "no answer in time");
            }
        }
        return answer;
    }

    /** The event loop. */
    void submit(FetchCall pending) {
        Bound bound = pending.bound;
        if (!bound.link().isUp()) {
            pending.fail(Fallback.LINK_LOST);
        } else if (!bound.link().requests.submit(this, bound.sessionId(), pending)) {
            pending.fail(Fallback.RING_FULL);
        }
    }

    @Override
    public boolean mayBeWritten(FetchCall request) {
        return true;
    }

    /** Without an answer, the leader's plugin has ended the session, or leaves it to TCP. */
    @Override
    public void onReply(FetchCall request, int flags, ByteBuf response) {
        if (response != null) {
            request.answer(response);
        } else {
            session.release(request.bound, "the leader ended the session");
            request.fail(Fallback.REFUSED);
        }
    }

    @Override
    public void onNotWritten(FetchCall request, FallbackReason reason) {
        request.fail(reason == FallbackReason.RING_FULL ? Fallback.RING_FULL : Fallback.LINK_LOST);
    }

    @Override
    public void onOutcomeUnknown(FetchCall request, String reason) {
        request.fail(Fallback.LINK_LOST);
    }

    /** Any thread, like the next four: whether the last fetch was answered by RDMA. */
    boolean usesRdma() {
        return usesRdma;
    }

    boolean isBound() {
        return session.isBound();
    }

    /** Time since the last fetch was sent. */
    long ageNs() {
        return System.nanoTime() - lastFetchNs;
    }

    /** The number of partitions of which an answer has come. */
    int partitions() {
        return lags == null ? 0 : lags.stats().size();
    }

    /** The highest lag of these partitions, as of their last answers. */
    long lagRecords() {
        return lags == null
                ? 0
                : lags.stats().values().stream()
                        .mapToLong(FetcherLagMetrics::lag)
                        .max()
                        .orElse(0);
    }

    boolean isClosed() {
        return closed;
    }

    /** Any thread: ends the fetch in progress, and all use of RDMA. Idempotent. */
    public void close() {
        closed = true;
        session.loop().wakeUp();
        session.close();
        allMeters.leave(this, meters);
    }
}
