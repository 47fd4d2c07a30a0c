// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/**
 * How clients, other brokers and controllers authenticate to a broker without a PLAINTEXT listener. {@link
 * BrokerProcess.Builder#property} sets certificates, mechanisms and super users. The first listener is named after its
 * protocol {@code clients}; the controller listener is CONTROLLER.
 *
 * @param clients protocol, and name, of the listener for clients and brokers
 * @param controllers protocol of the listener CONTROLLER
 * @param scram credentials for the format of the storage, each in the form of {@code kafka-storage format --add-scram}
 * @param admin settings, without the address, of a client that may describe the cluster
 */
public record BrokerSecurity(
        SecurityProtocol clients, SecurityProtocol controllers, List<String> scram, Map<String, Object> admin) {
    /** No authentication. */
    static final BrokerSecurity NONE =
            new BrokerSecurity(SecurityProtocol.PLAINTEXT, SecurityProtocol.PLAINTEXT, List.of(), Map.of());

    public BrokerSecurity {
        scram = List.copyOf(scram);
        admin = Map.copyOf(admin);
    }
}
