// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import io.slipstream.process.BrokerProcess;
import io.slipstream.process.ProxyProcess;
import java.util.Map;

/** How clients authenticate to broker and proxy. */
interface Admission {
    /** Every client may do everything without authentication. */
    Admission OPEN = new Admission() {
        @Override
        public void secure(BrokerProcess.Builder broker) {}

        @Override
        public void secure(ProxyProcess.Builder proxy) {}

        @Override
        public Map<String, Object> client(Role role) {
            return Map.of();
        }
    };

    void secure(BrokerProcess.Builder broker);

    void secure(ProxyProcess.Builder proxy);

    /**
     * Returns the settings of a stock client of that user, without the address. Broker and proxy take the same
     * settings.
     */
    Map<String, Object> client(Role role);
}
