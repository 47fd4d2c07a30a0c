// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reliable connection. It exists from the moment it is connected. Requests take effect at the target in posting
 * order. Only the owner thread of the {@link CompletionQueue} may post and poll. {@link #export}, {@link #disconnect},
 * {@link #state} and {@link #close} may be called by any thread.
 */
public abstract class QueuePair implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(QueuePair.class);

    public final QueuePairConfig config;
    private final int number;
    private volatile QueuePairState state = QueuePairState.CONNECTED;
    private volatile String errorReason;
    private volatile boolean endedByPeer;

    protected QueuePair(QueuePairConfig config, int number) {
        this.config = config;
        this.number = number;
    }

    /** Any thread, once: the queue pair has left CONNECTED. */
    protected abstract void onEnd(String reason);

    /** Any thread, once, after {@link #onEnd}: frees everything when the owner thread has left it. */
    protected abstract void onClose();

    /** Unique within the device while open. */
    public final int number() {
        return number;
    }

    public final QueuePairState state() {
        return state;
    }

    public final boolean isConnected() {
        return state == QueuePairState.CONNECTED;
    }

    /** Whether the peer's end or death was the reason to leave CONNECTED. */
    public final boolean wasEndedByPeer() {
        return endedByPeer;
    }

    /** The reason why the queue pair left CONNECTED; null while it is connected. */
    public final String errorReason() {
        return errorReason;
    }

    /**
     * Posts a request, or a list of them ({@link WorkRequest#next}). Returns {@link PostStatus#POSTED} or a negative
     * {@link PostStatus}. Never blocks and allocates nothing. The outcome arrives as a completion. The caller may reuse
     * {@code request} at once, but the memory it names only after the completion.
     */
    public abstract long post(WorkRequest request);

    /**
     * Posts a receive, which one WRITE_WITH_IMM of the peer consumes. It has no memory. Returns {@link
     * PostStatus#POSTED} or a negative status.
     */
    public abstract long postReceive(long wrId);

    /**
     * Grants the peer a region of this queue pair's protection domain. The stage completes when the peer's work
     * requests may name the region's rkey. It fails if the connection breaks first. To revoke the grant, deregister the
     * region.
     */
    public abstract CompletionStage<Void> export(MemoryRegion region);

    /** Any thread: leaves CONNECTED. Only the first reason counts. */
    public final void end(String reason, boolean byPeer) {
        synchronized (this) {
            if (state != QueuePairState.CONNECTED) {
                return;
            }
            errorReason = reason;
            endedByPeer = byPeer;
            state = QueuePairState.ERROR;
        }
        onEnd(reason);
    }

    /** Connection thread, once, after {@link #onEnd}. */
    public final void tellListener(String reason) {
        try {
            config.listener().onDisconnected(this, reason);
        } catch (RuntimeException e) {
            log.warn("disconnect listener of queue pair {} failed", number, e);
        }
    }

    /** Moves both ends to {@link QueuePairState#ERROR}. Outstanding work completes with errors. Idempotent. */
    public final void disconnect(String reason) {
        end(reason, false);
    }

    /** Disconnects and frees all resources of this queue pair. Idempotent. */
    @Override
    public final void close() {
        end("closed", false);
        synchronized (this) {
            if (state == QueuePairState.CLOSED) {
                return;
            }
            state = QueuePairState.CLOSED;
        }
        onClose();
    }
}
