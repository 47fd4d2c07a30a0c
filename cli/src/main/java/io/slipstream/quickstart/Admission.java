// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import io.slipstream.process.BrokerProcess;
import io.slipstream.process.ProxyProcess;
import java.util.Map;

/** How clients get into broker and proxy. */
interface Admission {
    /** Everybody may do everything, without saying who it is. */
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

    /** Settings of a stock client of that user, of the broker and of the proxy alike, without their address. */
    Map<String, Object> client(Role role);
}
