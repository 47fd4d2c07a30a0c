// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.protocol.control.NonceField;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/** Reads the fields that session binding needs from an ApiVersions request. */
final class ApiVersionsObserver {
    private static final short FIRST_VERSION_WITH_NAME = 3;

    private ApiVersionsObserver() {}

    /** Returns null if the request carries no client software name. */
    static ObservedConnection observe(BrokerVersion version, Object request) {
        RequestContext context = version.context(request);
        if (context.header.apiVersion() < FIRST_VERSION_WITH_NAME
                || !(version.body(request) instanceof ApiVersionsRequest apiVersions)
                || apiVersions.hasUnsupportedRequestVersion()
                || !apiVersions.isValid()) {
            return null;
        }
        ApiVersionsRequestData data = apiVersions.data();
        // The request's own context still has the client's previous name.
        ClientInformation client = new ClientInformation(data.clientSoftwareName(), data.clientSoftwareVersion());
        RequestContext named = RingRequests.context(context, context.header, context.principal, client);
        // The broker has authenticated the client: an ApiVersions request within a SASL handshake does not get here.
        return new ObservedConnection(
                context.connectionId,
                NonceField.in(data.unknownTaggedFields()),
                context.listenerName.value(),
                context.principal.getPrincipalType() + ":" + context.principal.getName(),
                isSasl(context.securityProtocol),
                named);
    }

    private static boolean isSasl(SecurityProtocol protocol) {
        return protocol == SecurityProtocol.SASL_PLAINTEXT || protocol == SecurityProtocol.SASL_SSL;
    }
}
