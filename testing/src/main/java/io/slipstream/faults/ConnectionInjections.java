// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.Fault;
import io.slipstream.faults.schedule.Fault.Leg;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.ProxyProcess;
import java.util.List;

/** Resets connections of clients and proxies, and the control connections on which queue pairs depend. */
final class ConnectionInjections {
    private final Deployment deployment;
    private final Recoveries recoveries;

    ConnectionInjections(Deployment deployment, Recoveries recoveries) {
        this.deployment = deployment;
        this.recoveries = recoveries;
    }

    Injection of(Fault.ConnectionCut cut) {
        return hold -> hold.repeat(cut.times(), cut.holdMs(), () -> cut(cut));
    }

    Injection of(Fault.LinkLoss loss) {
        return hold -> hold.repeat(loss.times(), loss.holdMs(), () -> {
            recoveries.linkLost(loss.proxy());
            deployment.controlRelays(loss.proxy()).forEach(Relay::cut);
        });
    }

    private void cut(Fault.ConnectionCut cut) {
        boolean relayed = cut.leg() == Leg.CLIENT_TO_PROXY
                && !deployment.proxies().isEmpty()
                && !deployment.clientRelays(cut.proxy()).isEmpty();
        if (relayed) {
            deployment.clientRelays(cut.proxy()).forEach(Relay::cut);
        } else {
            SocketTable.reset(victims(cut));
        }
    }

    /** Without proxies there is only one leg, from the clients in this process to the brokers. */
    private List<SocketTable.Connection> victims(Fault.ConnectionCut cut) {
        long us = ProcessHandle.current().pid();
        if (deployment.proxies().isEmpty()) {
            return SocketTable.opened(us, brokerPorts());
        }
        ProxyProcess proxy = deployment.proxies().get(cut.proxy()).peek();
        return cut.leg() == Leg.CLIENT_TO_PROXY
                ? SocketTable.opened(us, deployment.ports(proxy))
                : SocketTable.opened(proxy.pid(), brokerPorts());
    }

    private List<Integer> brokerPorts() {
        return deployment.brokers().stream()
                .map(Guarded::peek)
                .map(BrokerProcess::port)
                .toList();
    }
}
