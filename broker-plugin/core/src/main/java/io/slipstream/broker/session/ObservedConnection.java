package io.slipstream.broker.session;

/**
 * What an ApiVersions request said of the client's upstream connection.
 *
 * @param connectionId the broker's own id of the connection
 * @param listenerName the listener by which it came
 * @param softwareName client software name; a nonce if a proxy binds the connection
 * @param listenerSupported whether connections of that listener may be bound in this version
 * @param requestContext the broker's {@code RequestContext}, whose client information already names {@code softwareName}
 */
public record ObservedConnection(
        String connectionId,
        String listenerName,
        String softwareName,
        boolean listenerSupported,
        Object requestContext) {}
