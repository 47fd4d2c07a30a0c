// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import io.slipstream.faults.FaultFailure;
import io.slipstream.faults.SocketTable;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import io.slipstream.process.StartFailure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Kills the victims of one kill and starts them again. */
final class Strike {
    private static final int PATIENCE_ROUNDS = 3;
    private static final Duration PATIENCE = Patience.ofSeconds(30);

    private final CrashDeployment deployment;
    private final Kill kill;

    Strike(CrashDeployment deployment, Kill kill) {
        this.deployment = deployment;
        this.kill = kill;
    }

    /** Returns when they are dead. */
    void kill() {
        switch (kill.victim()) {
            case BROKER -> deployment.broker().kill9();
            case PROXY -> killProxy();
            case PROXY_THEN_BROKER -> {
                killProxy();
                pause(kill.gapMs());
                deployment.broker().kill9();
            }
            case BROKER_THEN_PROXY -> {
                deployment.broker().kill9();
                pause(kill.gapMs());
                killProxy();
            }
        }
    }

    private void killProxy() {
        Optional<ProxyProcess> proxy = proxy();
        if (proxy.isPresent()) {
            proxy.get().kill9();
        } else {
            long us = ProcessHandle.current().pid();
            SocketTable.reset(SocketTable.opened(us, List.of(deployment.broker().port())));
        }
    }

    /** Returns the proxy to kill; empty if there is none. */
    private Optional<ProxyProcess> proxy() {
        List<ProxyProcess> proxies = deployment.proxies();
        return proxies.isEmpty() || !kill.victim().strikesProxy()
                ? Optional.empty()
                : Optional.of(proxies.get(kill.proxy() % proxies.size()));
    }

    /** Returns when the killed proxy serves again. It waits for the broker's first answer, which may take long. */
    void startProxy() {
        Optional<ProxyProcess> killed = proxy();
        if (killed.isEmpty()) {
            return;
        }
        ProxyProcess proxy = killed.get();
        try {
            proxy.restart();
        } catch (StartFailure slow) {
            if (!proxy.isAlive()) {
                throw slow;
            }
            awaitBroker();
            if (!Deadline.after(PATIENCE).await(proxy::isReady)) {
                throw slow;
            }
        }
    }

    /** A start is slow on a busy machine. */
    void awaitBroker() {
        BrokerProcess broker = deployment.broker();
        for (int round = 1; ; round++) {
            try {
                broker.awaitServing();
                return;
            } catch (StartFailure slow) {
                if (round == PATIENCE_ROUNDS || !broker.isAlive()) {
                    throw slow;
                }
            }
        }
    }

    static void pause(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FaultFailure("interrupted");
        }
    }
}
