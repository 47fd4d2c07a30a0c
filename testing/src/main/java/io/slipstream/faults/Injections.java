// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.Fault;
import io.slipstream.faults.schedule.FaultClass;
import io.slipstream.faults.schedule.Role;
import java.util.Optional;

/** Returns for each fault how to execute it in a deployment, or why that is impossible. */
final class Injections {
    private final Arm arm;
    private final Machine machine;
    private final ProcessInjections processes;
    private final ConnectionInjections connections;
    private final AdministrationInjections administration;

    Injections(
            Arm arm,
            Machine machine,
            ProcessInjections processes,
            ConnectionInjections connections,
            AdministrationInjections administration) {
        this.arm = arm;
        this.machine = machine;
        this.processes = processes;
        this.connections = connections;
        this.administration = administration;
    }

    Injection of(Fault fault) {
        if (fault instanceof Fault.ProcessFault ofProcess) {
            return processes.of(ofProcess);
        }
        if (fault instanceof Fault.ConnectionCut cut) {
            return connections.of(cut);
        }
        if (fault instanceof Fault.LinkLoss loss) {
            return connections.of(loss);
        }
        return administration.of((Fault.Administration) fault);
    }

    /** Returns why this arm or machine cannot execute the fault; empty if it can. */
    Optional<String> obstacle(Fault fault) {
        if (!arm.hasProxies() && fault instanceof Fault.ProcessFault ofProcess && ofProcess.role() == Role.PROXY) {
            return Optional.of("no proxy in this arm");
        }
        if (arm != Arm.RDMA && fault.faultClass() == FaultClass.LINK_LOSS) {
            return Optional.of("no queue pair in this arm");
        }
        if (!arm.hasProxies() && fault instanceof Fault.ConnectionCut) {
            return machine.cannotReset();
        }
        return machine.obstacle(fault);
    }

    /** The name for tables: {@code proxy-2}, {@code broker-1}, {@code topics}. */
    String target(Fault fault) {
        if (fault instanceof Fault.ProcessFault ofProcess) {
            return (ofProcess.role() == Role.PROXY ? "proxy-" : "broker-") + (ofProcess.index() + 1);
        }
        if (fault instanceof Fault.ConnectionCut cut) {
            return "proxy-" + (cut.proxy() + 1);
        }
        if (fault instanceof Fault.LinkLoss loss) {
            return "proxy-" + (loss.proxy() + 1);
        }
        return "topics";
    }
}
