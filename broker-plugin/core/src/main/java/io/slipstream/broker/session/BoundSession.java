// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

/**
 * A client connection that the broker itself authenticated and that a proxy has bound to a link. Any thread may end it
 * or replace its request context.
 */
public final class BoundSession {
    private final int linkId;
    private final int sessionId;
    private final ObservedConnection connection;
    private final SessionLifetime lifetime;
    private volatile Object requestContext;
    private volatile boolean ended;

    /**
     * @param linkId the link on which requests of this session may arrive
     * @param sessionId unique within the link
     * @param connection as the ApiVersions request showed it that carried the nonce
     * @param lifetime until when the broker takes requests on the connection
     */
    public BoundSession(int linkId, int sessionId, ObservedConnection connection, SessionLifetime lifetime) {
        this.linkId = linkId;
        this.sessionId = sessionId;
        this.connection = connection;
        this.requestContext = connection.requestContext();
        this.lifetime = lifetime;
    }

    public int linkId() {
        return linkId;
    }

    public int sessionId() {
        return sessionId;
    }

    public String connectionId() {
        return connection.connectionId();
    }

    public String listenerName() {
        return connection.listenerName();
    }

    public String principal() {
        return connection.principal();
    }

    public SessionLifetime lifetime() {
        return lifetime;
    }

    /** The broker's {@code RequestContext}, with the principal of the client's last authentication. */
    public Object requestContext() {
        return lifetime.current(requestContext);
    }

    /** A later ApiVersions of the same connection told the client's own name. */
    void updateRequestContext(Object newRequestContext) {
        requestContext = newRequestContext;
    }

    /** Requests that arrive from now on are answered by closing the connection. */
    public void end() {
        ended = true;
    }

    /**
     * Also true once the client's authentication expired: the next request's arrival is when a broker closes the
     * connection.
     */
    public boolean isEnded() {
        return ended || (lifetime != SessionLifetime.UNLIMITED && lifetime.isOver(System.nanoTime()));
    }
}
