// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.rdma;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.WorkRequest;
import org.agrona.UnsafeApi;

/** A posted work request and its progress: pieces of whole 8-byte words, copied in random order. */
final class Operation {
    final long wrId;
    final Opcode opcode;
    final boolean signaled;
    /** Whether it is one of several: then it may read bytes that are not written yet, and finds any. */
    final boolean isListed;

    final long remoteAddress;
    final int rkey;
    final int imm;
    final int lengthBytes;
    final long postedNs;
    private final long[] addresses;
    private final int[] lengths;

    /** Starts of the remaining pieces, in copy order. */
    private int[] pieces;

    private int pieceBytes;
    private int moved;

    Operation(WorkRequest request, boolean isListed, long nowNs) {
        this.isListed = isListed;
        postedNs = nowNs;
        wrId = request.wrId;
        opcode = request.opcode;
        signaled = request.signaled;
        remoteAddress = request.remoteAddress;
        rkey = request.rkey;
        imm = request.imm;
        lengthBytes = (int) request.wellFormedLength(Integer.MAX_VALUE);
        int count = request.segmentCount;
        addresses = new long[count];
        lengths = new int[count];
        System.arraycopy(request.localAddresses, 0, addresses, 0, count);
        System.arraycopy(request.lengths, 0, lengths, 0, count);
    }

    /** Returns whether bytes flow back. */
    boolean isReading() {
        return opcode == Opcode.READ;
    }

    /** Returns the access that the target's region must grant. */
    Access neededAccess() {
        return isReading() ? Access.REMOTE_READ : Access.REMOTE_WRITE;
    }

    /** Splits the message into pieces; one piece if it is not torn. */
    void cut(Fabric fabric) {
        int words = (lengthBytes + Long.BYTES - 1) / Long.BYTES;
        int count = words < 2 || !fabric.isTorn() ? 1 : Math.min(words, 2 + fabric.world.random(words > 8 ? 6 : 7));
        int wordsPerPiece = Math.max(1, (words + count - 1) / count);
        pieceBytes = wordsPerPiece * Long.BYTES;
        count = Math.max(1, (words + wordsPerPiece - 1) / wordsPerPiece);
        pieces = new int[count];
        int order = fabric.world.random(3);
        for (int i = 0; i < count; i++) {
            pieces[i] = (order == 1 ? count - 1 - i : i) * pieceBytes;
        }
        if (order == 2) {
            for (int i = count - 1; i > 0; i--) {
                int j = fabric.world.random(i + 1);
                int other = pieces[j];
                pieces[j] = pieces[i];
                pieces[i] = other;
            }
        }
        moved = 0;
    }

    boolean isMoved() {
        return moved == pieces.length;
    }

    /** Copies the next piece between local memory and the target. */
    void movePiece() {
        int from = pieces[moved++];
        int to = Math.min(lengthBytes, from + pieceBytes);
        int at = 0;
        for (int i = 0; i < addresses.length && at < to; i++) {
            int start = Math.max(from, at);
            int end = Math.min(to, at + lengths[i]);
            if (start < end) {
                long local = addresses[i] + start - at;
                long remote = remoteAddress + start;
                UnsafeApi.copyMemory(isReading() ? remote : local, isReading() ? local : remote, end - start);
            }
            at += lengths[i];
        }
    }

    /** Returns whether these keys cover the local memory of the request. */
    boolean isCovered(SimulatedDomain domain, WorkRequest request) {
        for (int i = 0; i < request.segmentCount; i++) {
            if (!domain.covers(request.lkeys[i], request.localAddresses[i], request.lengths[i])) {
                return false;
            }
        }
        return true;
    }
}
