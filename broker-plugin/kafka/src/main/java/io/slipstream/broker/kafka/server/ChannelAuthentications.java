// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.server;

import io.slipstream.broker.session.ObservedChannel;
import io.slipstream.broker.session.SessionLifetime;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.apache.kafka.common.network.Authenticator;
import org.apache.kafka.common.network.KafkaChannel;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.authenticator.SaslServerAuthenticator;

/**
 * Follows the authentication of the broker's SASL connections. A channel gets a new authenticator when its client
 * authenticates again. Only the channel's private field leads to the authenticator, and so to the expiry of the
 * authentication. Any thread may ask, because the network thread sets these values before it answers the client.
 */
record ChannelAuthentications(VarHandle authenticator) {
    /**
     * Resolves the field. Throws IllegalStateException, which names the field, if this broker's class has no field of
     * that name and type.
     */
    static ChannelAuthentications resolve() {
        try {
            MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(KafkaChannel.class, MethodHandles.lookup());
            return new ChannelAuthentications(
                    lookup.findVarHandle(KafkaChannel.class, "authenticator", Authenticator.class));
        } catch (NoSuchFieldException | IllegalAccessException failure) {
            throw new IllegalStateException(
                    "This adapter does not support the broker's connections: " + failure.getMessage(), failure);
        }
    }

    /** Returns null if the authentication does not expire. */
    ObservedChannel observe(KafkaChannel channel) {
        Authenticator current = authenticator(channel);
        return current instanceof SaslServerAuthenticator
                ? new ObservedChannel(channel.id(), new Lifetime(channel, current))
                : null;
    }

    private Authenticator authenticator(KafkaChannel channel) {
        return (Authenticator) authenticator.getAcquire(channel);
    }

    private final class Lifetime implements SessionLifetime {
        private final KafkaChannel channel;
        private final Authenticator first;
        private volatile Renewal renewal;

        Lifetime(KafkaChannel channel, Authenticator first) {
            this.channel = channel;
            this.first = first;
        }

        @Override
        public boolean isOver(long nowNs) {
            Authenticator current = authenticator(channel);
            // The client receives the successful answer a moment before the authenticator is complete.
            Long endNs = current.serverSessionExpirationTimeNanos();
            return endNs == null ? !current.complete() : nowNs - endNs > 0;
        }

        @Override
        public Object current(Object requestContext) {
            Authenticator current = authenticator(channel);
            if (current == first) {
                return requestContext;
            }
            Renewal last = renewal;
            if (last == null || last.authenticator != current) {
                if (!current.complete()) {
                    return requestContext;
                }
                last = new Renewal(current, current.principal());
                renewal = last;
            }
            RequestContext context = (RequestContext) requestContext;
            return RingRequests.context(context, context.header, last.principal, context.clientInformation);
        }
    }

    /**
     * The principal of a new authentication. It equals the previous one, or the broker would have closed the
     * connection, but its rights may differ.
     */
    private record Renewal(Authenticator authenticator, KafkaPrincipal principal) {}
}
