// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.Fault;
import io.slipstream.faults.schedule.FaultClass;
import io.slipstream.process.TempDirectory;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** The capabilities of this machine: for each impossible class of faults, the reason. Immutable. */
final class Machine {
    private final Map<FaultClass, String> obstacles;
    private final Optional<String> cannotReset;

    private Machine(Map<FaultClass, String> obstacles, Optional<String> cannotReset) {
        this.obstacles = obstacles;
        this.cannotReset = cannotReset;
    }

    /** Tries each means once. */
    static Machine probe() {
        Map<FaultClass, String> obstacles = new EnumMap<>(FaultClass.class);
        try (TempDirectory directory = TempDirectory.create("ss-m")) {
            SmallFileSystem.obstacle(directory.path()).ifPresent(why -> obstacles.put(FaultClass.DISK_FULL, why));
        }
        ProcessLimits.obstacle().ifPresent(why -> {
            obstacles.put(FaultClass.MEMLOCK_LIMIT, why);
            obstacles.put(FaultClass.DESCRIPTOR_LIMIT, why);
        });
        FakeClock.obstacle().ifPresent(why -> obstacles.put(FaultClass.CLOCK_JUMP, why));
        Optional<String> cannotReset = SocketTable.obstacle();
        cannotReset.ifPresent(why -> obstacles.put(FaultClass.UPSTREAM_CUT, why));
        return new Machine(obstacles, cannotReset);
    }

    /** Returns why this machine cannot execute the fault; empty if it can. */
    Optional<String> obstacle(Fault fault) {
        return Optional.ofNullable(obstacles.get(fault.faultClass()));
    }

    /** Returns why the kernel cannot reset connections. Clients then use our relays, which can. */
    Optional<String> cannotReset() {
        return cannotReset;
    }

    /** Returns the impossible classes with their reasons. */
    Map<FaultClass, String> obstacles() {
        return Map.copyOf(obstacles);
    }
}
