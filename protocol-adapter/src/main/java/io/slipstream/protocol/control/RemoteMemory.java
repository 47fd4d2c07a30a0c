// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

/** A memory region of the peer: remote address, length in bytes and remote key, as work requests name it. */
public record RemoteMemory(long address, long lengthBytes, int rkey) {
    public static final RemoteMemory NONE = new RemoteMemory(0, 0, 0);

    /** Omits the key because messages are logged and the key gives access to the memory. */
    @Override
    public String toString() {
        return "RemoteMemory[lengthBytes=" + lengthBytes + "]";
    }
}
