// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.Fault;
import io.slipstream.faults.schedule.FaultClass;
import io.slipstream.process.TempDirectory;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** What this machine allows: for each class of faults that cannot be made here, why. Immutable. */
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

    /** Why the fault cannot be made on this machine; empty if it can. */
    Optional<String> obstacle(Fault fault) {
        return Optional.ofNullable(obstacles.get(fault.faultClass()));
    }

    /** Why the kernel resets no connections for us; then clients reach proxies through relays of ours, which can. */
    Optional<String> cannotReset() {
        return cannotReset;
    }

    /** Classes that are never carried out here, with the reason. */
    Map<FaultClass, String> obstacles() {
        return Map.copyOf(obstacles);
    }
}
