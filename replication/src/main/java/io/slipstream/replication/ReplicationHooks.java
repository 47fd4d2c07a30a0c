// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import io.slipstream.broker.hook.HookPoint;
import java.util.List;

/**
 * The methods that {@link ReplicationAdvice} calls. They are static because the advice is copied into the broker's
 * class. They take Kafka's objects as Object because that class is being defined. Any thread.
 */
public final class ReplicationHooks {
    private static final String SENDER = "kafka.server.BrokerBlockingSender";

    static final List<HookPoint> ALL = List.of(
            new HookPoint(
                    SENDER,
                    "sendRequest",
                    List.of("org.apache.kafka.common.requests.AbstractRequest$Builder"),
                    ReplicationAdvice.Send.class),
            new HookPoint(SENDER, "initiateClose", List.of(), ReplicationAdvice.InitiateClose.class),
            new HookPoint(SENDER, "close", List.of(), ReplicationAdvice.Close.class));

    private static volatile Replication replication;

    private ReplicationHooks() {}

    /** Null makes the hooks inert. */
    static void use(Replication next) {
        replication = next;
    }

    /** Returns the {@code ClientResponse}, or null if Kafka's own sender must send the request. */
    public static Object send(Object sender, int fetcherId, Object builder) {
        Replication current = replication;
        return current == null ? null : current.send(sender, fetcherId, builder);
    }

    public static void closing(Object sender) {
        Replication current = replication;
        if (current != null) {
            current.closing(sender);
        }
    }

    public static void closed(Object sender) {
        Replication current = replication;
        if (current != null) {
            current.closed(sender);
        }
    }
}
