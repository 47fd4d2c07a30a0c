// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import io.slipstream.rdma.CompletionStatus;

/** Handles the completion of a work request; a long-lived object, so that posting allocates nothing. */
public interface CompletionHandler {
    /** Called once per posted request, on the event loop. After any status but SUCCESS the link ends. */
    void onWorkCompleted(CompletionStatus status, int byteLen);
}
