// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Checks that this build contains the native verbs library and that the library loads. */
final class NativeLibraryCheck implements Check {
    private static final String SUBJECT = "RDMA library";

    private final Supplier<Optional<String>> unavailableReason;

    NativeLibraryCheck(Supplier<Optional<String>> unavailableReason) {
        this.unavailableReason = unavailableReason;
    }

    @Override
    public List<Finding> examine() {
        return List.of(unavailableReason
                .get()
                .map(reason ->
                        Finding.warn(SUBJECT, reason, "needed only for RDMA devices (verbs), not for shm and TCP"))
                .orElseGet(() -> Finding.ok(SUBJECT, "loads")));
    }
}
