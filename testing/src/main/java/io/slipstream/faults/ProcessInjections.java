// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.Fault;
import io.slipstream.faults.schedule.Fault.ProcessFault;
import io.slipstream.faults.schedule.Role;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.ProxyProcess;

/** Executes process faults: kills, pauses, and exhausted disk, memory or descriptors. */
final class ProcessInjections {
    private final Deployment deployment;
    private final Recoveries recoveries;

    ProcessInjections(Deployment deployment, Recoveries recoveries) {
        this.deployment = deployment;
        this.recoveries = recoveries;
    }

    Injection of(ProcessFault fault) {
        if (fault instanceof Fault.Kill kill) {
            return kill.role() == Role.PROXY ? hold -> killProxy(kill, hold) : hold -> killBroker(kill, hold);
        }
        if (fault instanceof Fault.Pause pause) {
            return hold -> pause(pause, hold);
        }
        if (fault instanceof Fault.FollowerStop stop) {
            return hold -> restart(stop.index(), hold, stop.holdMs());
        }
        if (fault instanceof Fault.Restart restart) {
            return hold -> restart(restart.index(), hold, restart.holdMs());
        }
        if (fault instanceof Fault.Limit limit) {
            return hold -> limit(limit, hold);
        }
        if (fault instanceof Fault.DiskFull full) {
            return hold -> fillDisk(full, hold);
        }
        Fault.ClockJump jump = (Fault.ClockJump) fault;
        return hold -> jump(jump, hold);
    }

    private void killProxy(Fault.Kill kill, Hold hold) {
        deployment.proxies().get(kill.index()).exclusively(proxy -> {
            proxy.kill9();
            hold.forMs(kill.holdMs());
            Guarded.restart(proxy::restart);
            recoveries.proxyReturned(kill.index());
        });
    }

    private void killBroker(Fault.Kill kill, Hold hold) {
        deployment.brokers().get(kill.index()).exclusively(broker -> {
            broker.kill9();
            hold.forMs(kill.holdMs());
            Guarded.restart(broker::restart);
        });
    }

    private void pause(Fault.Pause pause, Hold hold) {
        long pid = pid(pause);
        Signals.stop(pid);
        try {
            hold.forMs(pause.holdMs());
        } finally {
            Signals.resume(pid);
        }
    }

    private void restart(int index, Hold hold, long holdMs) {
        deployment.brokers().get(index).exclusively(broker -> {
            broker.stop();
            hold.forMs(holdMs);
            Guarded.restart(broker::restart);
        });
    }

    private void limit(Fault.Limit limit, Hold hold) {
        Runnable restore = ProcessLimits.exhaust(limit.resource(), pid(limit));
        try {
            hold.forMs(limit.holdMs());
        } finally {
            restore.run();
        }
        if (limit.role() == Role.BROKER && limit.resource() == Fault.Resource.DESCRIPTORS) {
            startAgain(limit.index());
        }
    }

    private void fillDisk(Fault.DiskFull full, Hold hold) {
        SmallFileSystem disk = deployment.disk(full.index());
        try {
            disk.fill();
            hold.forMs(full.holdMs());
        } finally {
            disk.free();
        }
        startAgain(full.index());
    }

    /**
     * A stock broker that cannot write takes its log directory offline until a restart. It stops if it was the last
     * directory or the quorum's, possibly with a delay.
     */
    private void startAgain(int index) {
        deployment.brokers().get(index).exclusively(broker -> {
            broker.kill9();
            Guarded.restart(broker::restart);
        });
    }

    private void jump(Fault.ClockJump jump, Hold hold) {
        FakeClock clock = deployment.clock(jump.index());
        try {
            clock.jump(jump.jumpS());
            hold.forMs(jump.holdMs());
        } finally {
            clock.jump(0);
        }
    }

    private long pid(ProcessFault fault) {
        if (fault.role() == Role.PROXY) {
            ProxyProcess proxy = deployment.proxies().get(fault.index()).peek();
            return proxy.pid();
        }
        BrokerProcess broker = deployment.brokers().get(fault.index()).peek();
        return broker.pid();
    }
}
