// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

/**
 * A client's upstream connection, as an ApiVersions request on it shows.
 *
 * @param connectionId the broker's own id of the connection
 * @param nonce by which a proxy binds the connection; null if the request carries none
 * @param listenerName the listener of the connection
 * @param principal the authenticated principal, such as {@code User:alice}
 * @param mayExpire whether the authentication may expire, see {@link SessionLifetime}
 * @param requestContext the broker's {@code RequestContext}, whose client information is already that of the request
 */
public record ObservedConnection(
        String connectionId,
        String nonce,
        String listenerName,
        String principal,
        boolean mayExpire,
        Object requestContext) {}
