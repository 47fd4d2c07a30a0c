// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

/**
 * How long the broker takes requests on a connection: on a SASL connection until its session expires (KIP-368,
 * {@code connections.max.reauth.ms}, the expiry of a token), unless the client authenticates again in time. A broker
 * closes an expired connection when the next request arrives on it; what goes by RDMA has to end by itself. Any thread.
 */
public interface SessionLifetime {
    /** Without an end, and always of the same principal: connections without SASL. */
    SessionLifetime UNLIMITED = new SessionLifetime() {
        @Override
        public boolean isOver(long nowNs) {
            return false;
        }

        @Override
        public Object current(Object requestContext) {
            return requestContext;
        }
    };

    /**
     * Whether the broker would take no request at that time of {@link System#nanoTime}, as long as the client does not
     * authenticate again; also true while it does.
     */
    boolean isOver(long nowNs);

    /**
     * The {@code RequestContext} with the principal of the last authentication. Its name never changes, but a principal
     * may say more than its name.
     */
    Object current(Object requestContext);
}
