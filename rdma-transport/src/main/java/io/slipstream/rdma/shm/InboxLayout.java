// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

/**
 * Byte offsets in the memory that each end of a connection gives to the other. All integers are little-endian. Fields
 * of different writers are 64 bytes apart, so that the two processes do not write the same cache line, except where
 * both must.
 *
 * <pre>
 *  offset  size  written by   what
 *       0     8  owner        magic, once
 *      64     8  owner        POSTED_RECEIVES, count since connected; release
 *     128     4  both         WAITING: owner sets 1 before it sleeps, peer swaps 1 for 0 and writes the owner's eventfd
 *     192     4  both         STARVED: peer sets 1 while it holds requests, owner swaps 1 for 0, writes the eventfd
 *     256     8  peer         OPERATIONS: odd while the peer is inside an operation on the owner's regions
 *     320  16384 owner        one byte per export slot, 1 = revoked
 *          4*n   -            reserved
 *         32*n   peer         ring of n records
 *        65536   -            reserved
 *
 *  record: sequence i64 (its number counted from 1, written last with release) | opcode i32 | imm i32 | byteLen i32 |
 *          reserved, 12 bytes
 * </pre>
 *
 * <p>{@code n} is a power of two that is not less than the owner's receive depth. A record's slot is free again when
 * the owner has posted the receive after it, so there is no separate consumer index.
 */
final class InboxLayout {
    static final long MAGIC = 0x31424E492D504C53L; // "SLP-INB1"
    static final int MAX_RING_RECORDS = 1 << 16;
    static final int MAX_EXPORTS = 16384;

    static final int POSTED_RECEIVES = 64;
    static final int WAITING = 128;
    static final int STARVED = 192;
    static final int OPERATIONS = 256;
    static final int REVOKED = 320;
    private static final int RESERVED_BYTES = 64 * 1024;

    static final int RECORD_BYTES = 32;
    static final int SEQUENCE = 0;
    static final int OPCODE = 8;
    static final int IMM = 12;
    static final int BYTE_LEN = 16;

    static final int OPCODE_WRITE_WITH_IMM = 1;

    private InboxLayout() {}

    static int ringRecords(int receiveDepth) {
        return Math.max(16, Integer.highestOneBit(receiveDepth - 1) << 1);
    }

    static boolean isValidRing(int records) {
        return records >= 16 && records <= MAX_RING_RECORDS && Integer.bitCount(records) == 1;
    }

    static long ringOffset(int records) {
        return REVOKED + MAX_EXPORTS + 4L * records;
    }

    static long sizeBytes(int records) {
        return ringOffset(records) + (long) RECORD_BYTES * records + RESERVED_BYTES;
    }
}
