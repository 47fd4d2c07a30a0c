// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.nio.ByteBuffer;

/** Whoever owns an rdma_cm_id: takes its events on the connection thread. */
interface CmHandler {
    /** @param event as {@link CmEvent} lays it out; valid during the call */
    void onEvent(ByteBuffer event);
}
