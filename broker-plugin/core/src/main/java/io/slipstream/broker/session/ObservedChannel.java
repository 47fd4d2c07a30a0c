// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

/**
 * A connection on which the broker received a request, if its authentication can expire.
 *
 * @param connectionId the broker's own id of the connection
 */
public record ObservedChannel(String connectionId, SessionLifetime lifetime) {}
