// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

/**
 * Natives of {@code libslipstreamshm.so}, for system calls that the JDK lacks. Each returns the negative errno if it
 * fails. {@link Seals} loads the library.
 */
final class SealedFiles {
    private SealedFiles() {}

    /** memfd_create(2): creates an empty memory file, close-on-exec, that can be sealed. Returns its descriptor. */
    static native int create();

    /** F_ADD_SEALS (fcntl(2)): adds seals, which cannot be removed. */
    static native int addSeals(int descriptor, int seals);

    /** F_GET_SEALS (fcntl(2)): the seals of the file behind the descriptor. Fails for files that cannot have any. */
    static native int seals(int descriptor);
}
