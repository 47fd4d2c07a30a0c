// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

/**
 * Completions of one or more queue pairs. Confined to one owner thread at a time (asserted), which also owns those queue pairs.
 *
 * <p>Sleeping without losing a wake-up: {@link #arm()}, then poll once more, and only if that found nothing wait until
 * {@link #eventFd()} is readable; then {@link #acknowledgeEvents()} and poll until empty.
 */
public interface CompletionQueue extends AutoCloseable {
    /** Fills {@code completions} from index 0; returns how many, 0 if none. Never blocks, allocates nothing. */
    int poll(WorkCompletion[] completions);

    /** Asks for one event on {@link #eventFd()} at the next completion. Poll again after this call. */
    void arm();

    /**
     * Takes {@link #arm} back, for an owner that is about to post and will poll anyway: saves the event that its own completions
     * would cause. An event may still come. Arm again before sleeping.
     */
    default void disarm() {}

    /**
     * The owner: whoever polls or posts next owns this queue and its queue pairs from then on. That this call, and all that the owner did before, happens before that is the
     * callers' affair.
     */
    void handOver();

    /** A descriptor that becomes readable (level-triggered) when an armed completion queue gets a completion. Owned by this object. */
    int eventFd();

    /** Consumes pending events, so that {@link #eventFd()} is no longer readable. */
    void acknowledgeEvents();

    /** What the queue pairs of this completion queue have done. Any thread. */
    TransportCounters counters();

    @Override
    void close();
}
