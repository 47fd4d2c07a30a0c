// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.provider;

import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.QueuePairState;

/** The states of a queue pair. It exists from the moment it is connected. */
public abstract class AbstractQueuePair implements QueuePair {
    public final QueuePairConfig config;
    private final int number;
    private volatile QueuePairState state = QueuePairState.CONNECTED;
    private volatile String errorReason;
    private volatile boolean endedByPeer;

    protected AbstractQueuePair(QueuePairConfig config, int number) {
        this.config = config;
        this.number = number;
    }

    /** Any thread, once: the queue pair has left CONNECTED. */
    protected abstract void onEnd(String reason);

    /** Any thread, once, after {@link #onEnd}: frees everything when the owner thread has left it. */
    protected abstract void onClose();

    @Override
    public final int number() {
        return number;
    }

    @Override
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

    @Override
    public final String errorReason() {
        return errorReason;
    }

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

    @Override
    public final void disconnect(String reason) {
        end(reason, false);
    }

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
