// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

/**
 * The InternalError by which the JVM tells of a fault on a mapping that lost its file. It hangs over the thread until this next enters the
 * virtual machine, which compiled code may do much later and JDK 17 does not even do in native methods; left there, it would be thrown somewhere
 * in the event loop.
 */
final class PendingFault {
    /** Not a constant, so that the array below is made by the virtual machine and not by the compiled code. */
    private static volatile int dimension = 1;

    @SuppressWarnings("unused")
    private static volatile Object kept;

    private PendingFault() {}

    /** Takes the error of a fault that is known to have happened. */
    static void take() {
        try {
            kept = new byte[dimension][dimension];
        } catch (InternalError fault) {
            kept = null;
        }
    }
}
