// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Checks that the {@code shm} provider works here: its library loads, and the kernel seals memory. */
final class SharedMemoryCheck implements Check {
    private static final String SUBJECT = "shared memory";

    private final Supplier<Optional<String>> unavailableReason;

    SharedMemoryCheck(Supplier<Optional<String>> unavailableReason) {
        this.unavailableReason = unavailableReason;
    }

    @Override
    public List<Finding> examine() {
        return List.of(unavailableReason
                .get()
                .map(reason -> Finding.warn(SUBJECT, reason, "needed only for shm; everything works over TCP"))
                .orElseGet(() -> Finding.ok(SUBJECT, "sealed against truncation")));
    }
}
