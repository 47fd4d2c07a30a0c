// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

/** Natives of {@code libslipstreamshm.so}, for what the JDK lacks. Each answers the negative errno if it fails. Loaded by {@link Seals}. */
final class SealedFiles {
    private SealedFiles() {}

    /** A new memory file without a name or a size, close-on-exec, that can be sealed: its descriptor. */
    static native int create();

    /** Adds seals, which nobody can take off again. */
    static native int addSeals(int descriptor, int seals);

    /** The seals on what the descriptor refers to; fails for files that cannot have any. */
    static native int seals(int descriptor);
}
