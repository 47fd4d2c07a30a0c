// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

/** A peer's memory region as work requests name it. */
public record RemoteMemory(long address, long lengthBytes, int rkey) {
    public static final RemoteMemory NONE = new RemoteMemory(0, 0, 0);

    /** Without the key: who has it may read or write there, and messages get into logs. */
    @Override
    public String toString() {
        return "RemoteMemory[lengthBytes=" + lengthBytes + "]";
    }
}
