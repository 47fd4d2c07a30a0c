// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

/**
 * Offsets and constants of libibverbs' structures on LP64 Linux ({@code infiniband/verbs.h}). The native library does
 * not compile on platforms where they differ.
 */
final class VerbsLayout {
    /** struct ibv_send_wr. */
    static final int SEND_BYTES = 128;

    /** struct ibv_recv_wr, which begins like a send request. */
    static final int RECEIVE_BYTES = 32;

    static final int WR_ID = 0;
    static final int NEXT = 8;
    static final int SEGMENTS = 16;
    static final int SEGMENT_COUNT = 24;
    static final int OPCODE = 28;
    static final int SEND_FLAGS = 32;
    static final int IMM = 36;
    static final int REMOTE_ADDRESS = 40;
    static final int RKEY = 48;
    static final int ATOMIC_COMPARE_ADD = 48;
    static final int ATOMIC_SWAP = 56;
    static final int ATOMIC_RKEY = 64;

    /** struct ibv_sge. */
    static final int SEGMENT_BYTES = 16;

    static final int SEGMENT_LENGTH = 8;
    static final int SEGMENT_LKEY = 12;

    /** struct ibv_wc. */
    static final int COMPLETION_BYTES = 48;

    static final int COMPLETION_WR_ID = 0;
    static final int COMPLETION_STATUS = 8;
    static final int COMPLETION_OPCODE = 12;
    static final int COMPLETION_VENDOR_ERROR = 16;
    static final int COMPLETION_BYTE_LEN = 20;
    static final int COMPLETION_IMM = 24;

    // enum ibv_wr_opcode
    static final int WR_RDMA_WRITE = 0;
    static final int WR_RDMA_WRITE_WITH_IMM = 1;
    static final int WR_SEND = 2;
    static final int WR_RDMA_READ = 4;
    static final int WR_ATOMIC_CMP_AND_SWP = 5;
    static final int WR_ATOMIC_FETCH_AND_ADD = 6;

    // enum ibv_send_flags
    static final int FLAG_SIGNALED = 2;

    // enum ibv_wc_opcode
    static final int WC_RECV_RDMA_WITH_IMM = 129;

    // enum ibv_access_flags
    static final int ACCESS_LOCAL_WRITE = 1;
    static final int ACCESS_REMOTE_WRITE = 2;
    static final int ACCESS_REMOTE_READ = 4;
    static final int ACCESS_REMOTE_ATOMIC = 8;

    // enum ibv_event_type
    static final int EVENT_CQ_ERR = 0;
    static final int EVENT_QP_FATAL = 1;
    static final int EVENT_QP_REQ_ERR = 2;
    static final int EVENT_QP_ACCESS_ERR = 3;
    static final int EVENT_DEVICE_FATAL = 8;
    static final int EVENT_PORT_ACTIVE = 9;
    static final int EVENT_PORT_ERR = 10;

    private VerbsLayout() {}
}
