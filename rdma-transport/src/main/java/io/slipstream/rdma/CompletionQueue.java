// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

/**
 * Receives the completions of one or more queue pairs. One owner thread at a time (asserted) uses this queue and its
 * queue pairs. Methods without another note belong to that thread.
 *
 * <p>To sleep without losing a wake-up: call {@link #arm()}, then poll once more. If that poll finds nothing, wait
 * until {@link #eventFd()} is readable, call {@link #acknowledgeEvents()}, and poll until empty. See
 * ibv_get_cq_event(3).
 */
public interface CompletionQueue extends AutoCloseable {
    /**
     * Fills {@code completions} from index 0 and returns the number filled, 0 if there is none. Never blocks and
     * allocates nothing.
     */
    int poll(WorkCompletion[] completions);

    /** Requests one event on {@link #eventFd()} at the next completion. Poll again after this call. */
    void arm();

    /**
     * Cancels {@link #arm} if the owner is about to post and will poll anyway. This saves the events of its own
     * completions. An event may still arrive. Arm again before sleeping.
     */
    default void disarm() {}

    /**
     * Releases ownership: the next thread that polls or posts becomes the owner. The callers must establish
     * happens-before between this call and the new owner's first use.
     */
    void handOver();

    /**
     * A descriptor that becomes readable (level-triggered) when an armed completion queue gets a completion. This
     * object owns it. Any thread.
     */
    int eventFd();

    /** Consumes pending events, after which {@link #eventFd()} is no longer readable. */
    void acknowledgeEvents();

    @Override
    void close();
}
