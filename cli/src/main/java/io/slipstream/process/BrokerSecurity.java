// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/**
 * How clients, other brokers and controllers get into a broker that has no open listener. What goes with the protocols (certificates, mechanisms, super users) is set by
 * {@link BrokerProcess.Builder#property}; names of listeners are {@code clients} for the first and CONTROLLER for the second.
 *
 * @param clients protocol, and name, of the listener that clients and brokers use
 * @param controllers protocol of the listener CONTROLLER
 * @param scram what the storage is formatted with, each as {@code kafka-storage format --add-scram} takes it
 * @param admin settings, without the address, of a client that may describe the cluster
 */
public record BrokerSecurity(
        SecurityProtocol clients, SecurityProtocol controllers, List<String> scram, Map<String, Object> admin) {
    /** No one is asked who it is. */
    static final BrokerSecurity NONE =
            new BrokerSecurity(SecurityProtocol.PLAINTEXT, SecurityProtocol.PLAINTEXT, List.of(), Map.of());

    public BrokerSecurity {
        scram = List.copyOf(scram);
        admin = Map.copyOf(admin);
    }
}
