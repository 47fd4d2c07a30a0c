// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.nio.ByteBuffer;

/** The owner of an rdma_cm_id. It receives the events of that id on the connection thread. */
interface CmHandler {
    /** @param event laid out as in {@link CmEvent}; valid during the call */
    void onEvent(ByteBuffer event);
}
