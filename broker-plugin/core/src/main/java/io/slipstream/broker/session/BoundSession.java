// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

/**
 * A client connection that the broker has authenticated and a proxy has bound to a link. Any thread may end it or
 * replace its request context.
 */
public final class BoundSession {
    public final int linkId;
    public final int sessionId;
    public final ObservedConnection connection;
    public final SessionLifetime lifetime;
    /** Replaced after a later ApiVersions request of the connection, which carries the client's own software name. */
    volatile Object requestContext;

    private volatile boolean ended;

    /**
     * @param linkId the link on which requests of this session may arrive
     * @param sessionId unique within the link
     * @param connection as shown by the ApiVersions request that carried the nonce
     * @param lifetime the time during which the broker accepts requests on the connection
     */
    public BoundSession(int linkId, int sessionId, ObservedConnection connection, SessionLifetime lifetime) {
        this.linkId = linkId;
        this.sessionId = sessionId;
        this.connection = connection;
        this.requestContext = connection.requestContext();
        this.lifetime = lifetime;
    }

    /** Returns the broker's {@code RequestContext} with the principal of the client's last authentication. */
    public Object requestContext() {
        return lifetime.current(requestContext);
    }

    /** Ends the session. Requests that arrive later are answered with a close of the connection. */
    public void end() {
        ended = true;
    }

    /**
     * Returns true also after the client's authentication expired: a broker closes an expired connection when its next
     * request arrives.
     */
    public boolean isEnded() {
        return ended || (lifetime != SessionLifetime.UNLIMITED && lifetime.isOver(System.nanoTime()));
    }
}
