// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.requests.AbstractRequest;

/** Kafka's own connection of one fetcher to its leader. */
public interface LeaderConnection {
    /** The fetcher's thread, which waits for the response. Throws if the connection is lost. */
    ClientResponse sendRequest(AbstractRequest.Builder<? extends AbstractRequest> request);
}
