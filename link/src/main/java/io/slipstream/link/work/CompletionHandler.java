// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import io.slipstream.rdma.CompletionStatus;

/** What waits for the completion of a work request; a long-lived object, so that posting allocates nothing. */
public interface CompletionHandler {
    /** Called once for each posted request, on the event loop. On anything but SUCCESS the link is about to break. */
    void onWorkCompleted(CompletionStatus status, int byteLen);
}
