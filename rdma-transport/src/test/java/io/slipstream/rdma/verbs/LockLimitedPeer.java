// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.net.InetAddress;

/** Registers memory with a device under a limit of locked memory that its parent set, and prints the result. */
final class LockLimitedPeer {
    private static final int LENGTH_BYTES = 64 << 10;

    private LockLimitedPeer() {}

    public static void main(String[] arguments) throws Exception {
        NativeVerbs natives = NativeLibrary.natives();
        long id = natives.createId(natives.createEventChannel());
        InetAddress address = InetAddress.getByName(System.getenv("SLIPSTREAM_RDMA_ADDRESS"));
        natives.bindAddress(id, address.getAddress(), 0, 0);
        long domain = natives.allocateProtectionDomain(natives.contextOf(id));
        try {
            natives.registerMemory(domain, natives.allocate(LENGTH_BYTES), LENGTH_BYTES, 1, new int[2]);
            System.out.println("registered");
        } catch (RegistrationException e) {
            System.out.println(e.getMessage());
        }
        // The end of the process frees it.
        Runtime.getRuntime().halt(0);
    }
}
