// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.protocol.control.ControlRequest;

/** The broker's partitions, as the read side sees them; implemented by the adapter of each Kafka line. */
public interface PartitionLogs {
    /** Why a topic is refused that the authorizer does not allow. */
    String NOT_AUTHORIZED = "not authorized";

    /**
     * Resolves the topic, authorizes READ for the session's principal, checks leadership, epochs and range as the
     * broker would for a fetch, and finds the batch. May read indexes and the log from disk. Never throws for what a
     * client can cause.
     *
     * @param requestContext the session's {@code RequestContext}
     */
    LocateOutcome locate(Object requestContext, ControlRequest.Locate request);

    /** Whether that principal may still read the topic it was granted. */
    boolean mayStillRead(Object requestContext, String topic);
}
