// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.slipstream.rdma.CompletionQueue;

/**
 * An event loop that one thread after another drives. The thread that leaves hands the completion queue over to the
 * next one. Such a loop has one link at a time.
 */
public interface PassingLoop {
    /** The event loop: it hands over this queue from now on, instead of that of an earlier link. */
    void handsOver(CompletionQueue queue);
}
