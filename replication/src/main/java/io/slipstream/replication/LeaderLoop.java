// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import java.util.concurrent.Executor;

/** The event loop of the link to one leader, as the leader's fetchers use it. */
public interface LeaderLoop extends Executor {
    /** What a thread waits for. */
    interface Awaited {
        /** Any thread. */
        boolean isOver();
    }

    /** Any thread: runs the task in the loop, and then waits until the event is over or that time. */
    void await(Runnable task, Awaited event, long deadlineNs);

    /** Any thread: has all threads that wait look whether their events are over. */
    void wakeUp();
}
