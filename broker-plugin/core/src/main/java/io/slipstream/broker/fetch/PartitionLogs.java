// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.protocol.control.ControlRequest;

/** The broker's partitions as the read side sees them. The adapter of the Kafka line implements it. */
public interface PartitionLogs {
    /** Reason of a refusal by the authorizer. */
    String NOT_AUTHORIZED = "not authorized";

    /**
     * Locates the batch of an offset. It resolves the topic, authorizes READ for the session's principal, and checks
     * leadership, epochs and range as the broker does for a Fetch. May read indexes and the log from disk. Throws
     * {@link RefusedException} if the broker must answer the Fetch itself, and nothing else for an error that a client
     * can cause.
     *
     * @param requestContext the session's {@code RequestContext}
     * @param isAllowed whether the authorizer allowed it moments ago and need not be asked
     */
    Located locate(Object requestContext, boolean isAllowed, ControlRequest.Locate request);

    /** Returns whether the principal may still read the topic. */
    boolean mayStillRead(Object requestContext, String topic);
}
