package io.slipstream.faults;

import io.slipstream.faults.schedule.Fault;
import io.slipstream.faults.schedule.Fault.ProcessFault;
import io.slipstream.faults.schedule.Role;
import io.slipstream.harness.BrokerProcess;
import io.slipstream.harness.ProxyProcess;

/** Carries out what happens to a process: killed, paused, out of disk, memory or descriptors. */
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
            return hold -> stopFollower(stop, hold);
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

    private void stopFollower(Fault.FollowerStop stop, Hold hold) {
        deployment.brokers().get(stop.index()).exclusively(broker -> {
            broker.stop();
            hold.forMs(stop.holdMs());
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
        reviveBroker(limit);
    }

    private void fillDisk(Fault.DiskFull full, Hold hold) {
        SmallFileSystem disk = deployment.disk(full.index());
        try {
            disk.fill();
            hold.forMs(full.holdMs());
        } finally {
            disk.free();
        }
        deployment.brokers().get(full.index()).exclusively(broker -> {
            // Alive, its log directory may be offline for good: only a start looks at it again.
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

    /** A stock broker that finds no descriptor for a segment gives its log directory up, and itself if that was the last. */
    private void reviveBroker(ProcessFault fault) {
        if (fault.role() == Role.BROKER) {
            deployment.brokers().get(fault.index()).exclusively(broker -> {
                if (!broker.isAlive()) {
                    Guarded.restart(broker::restart);
                }
            });
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
