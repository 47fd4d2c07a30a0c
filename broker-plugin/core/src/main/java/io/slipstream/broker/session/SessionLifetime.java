// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

/**
 * The time during which the broker accepts requests on a connection. On a SASL connection it ends when the session
 * expires (KIP-368: {@code connections.max.reauth.ms}, a token's expiry), unless the client authenticates again in
 * time. A broker closes an expired connection when its next request arrives. Requests by RDMA do not pass that check,
 * so the plugin makes it. Any thread.
 */
public interface SessionLifetime {
    /** Does not expire and keeps its principal, as connections without SASL do. */
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
     * Returns whether the broker would refuse a request at that time of {@link System#nanoTime} without a new
     * authentication. Also true while the client authenticates again.
     */
    boolean isOver(long nowNs);

    /**
     * Returns the {@code RequestContext} with the principal of the last authentication. The principal's name never
     * changes, but a principal may carry more than its name.
     */
    Object current(Object requestContext);
}
