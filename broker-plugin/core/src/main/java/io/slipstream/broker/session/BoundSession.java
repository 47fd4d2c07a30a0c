package io.slipstream.broker.session;

/**
 * A client connection that the broker itself authenticated and that a proxy has bound to a link.
 *
 * @param linkId the link on which requests of this session may arrive
 * @param sessionId unique within the link
 * @param connectionId the broker's own id of the client's upstream connection
 * @param listenerName the listener by which the connection came
 * @param principal as whom the broker authenticated the client, such as {@code User:alice}
 * @param requestContext the broker's {@code RequestContext} of the ApiVersions request that carried the nonce; only the
 *     Kafka line adapters know its type
 * @param lifetime until when the broker takes requests on the connection
 */
public record BoundSession(
        int linkId,
        int sessionId,
        String connectionId,
        String listenerName,
        String principal,
        Object requestContext,
        SessionLifetime lifetime) {
    /** With the principal of the client's last authentication. */
    @Override
    public Object requestContext() {
        return lifetime.current(requestContext);
    }
}
