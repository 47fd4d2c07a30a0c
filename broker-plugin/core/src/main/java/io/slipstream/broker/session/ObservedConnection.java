// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

/**
 * What an ApiVersions request said of the client's upstream connection.
 *
 * @param connectionId the broker's own id of the connection
 * @param softwareName client software name; a nonce if a proxy binds the connection
 * @param listenerName the listener by which it came
 * @param principal as whom the broker authenticated the client, such as {@code User:alice}
 * @param mayExpire whether the authentication may have an end, see {@link SessionLifetime}
 * @param requestContext the broker's {@code RequestContext}, whose client information already names
 *     {@code softwareName}
 */
public record ObservedConnection(
        String connectionId,
        String softwareName,
        String listenerName,
        String principal,
        boolean mayExpire,
        Object requestContext) {}
