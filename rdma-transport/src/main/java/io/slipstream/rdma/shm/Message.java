// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

/**
 * The messages between the two ends of a connection on their control socket. Messages that announce descriptors are
 * matched, in order, with the descriptors that arrive on the descriptor socket.
 *
 * <pre>
 *  initiator                                   target
 *     HELLO ───────────────────────────────────▶
 *     ◀─────────────────────────────────── TOKEN
 *     ATTACH (second socket, from now on descriptors only) ▶
 *     ◀──────────── ACCEPT + inbox, event descriptor, or REJECT
 *     READY + inbox, event descriptor ─────────▶
 *     ◀───────────────────────────── ESTABLISHED
 *  then both ways: EXPORT + region ▶ ◀ EXPORTED,  WITHDRAW ▶ ◀ WITHDRAWN,  DISCONNECT ▶
 * </pre>
 */
sealed interface Message {
    /** The number of descriptors that belong to the message. */
    default int descriptors() {
        return this instanceof Export ? 1 : this instanceof Accept || this instanceof Ready ? 2 : 0;
    }

    record Hello(byte[] privateData) implements Message {}

    record Token(long high, long low) implements Message {}

    record Attach(long high, long low) implements Message {}

    record Accept(int ringRecords) implements Message {}

    record Reject(String reason) implements Message {}

    record Ready(int ringRecords) implements Message {}

    record Established() implements Message {}

    /**
     * @param isFile whether the descriptor is that of a file, which the peer reads and never maps. Otherwise it is that
     *     of memory without a name, which the peer maps as a whole
     * @param access a set of {@link RemoteRegion#bit}s
     */
    record Export(int slot, int rkey, boolean isFile, int access, long address, long lengthBytes) implements Message {}

    /** {@code error} is empty if the peer can use the region. */
    record Exported(int slot, String error) implements Message {}

    record Withdraw(int slot, int rkey) implements Message {}

    record Withdrawn(int slot) implements Message {}

    record Disconnect(String reason) implements Message {}
}
