// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.CompletionStatus;

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
    static final int WR_RDMA_READ = 4;

    // enum ibv_send_flags
    static final int FLAG_FENCE = 1;
    static final int FLAG_SIGNALED = 2;

    // enum ibv_wc_status
    static final int WC_SUCCESS = 0;
    static final int WC_LOC_LEN_ERR = 1;
    static final int WC_LOC_QP_OP_ERR = 2;
    static final int WC_LOC_PROT_ERR = 4;
    static final int WC_WR_FLUSH_ERR = 5;
    static final int WC_REM_INV_REQ_ERR = 9;
    static final int WC_REM_ACCESS_ERR = 10;
    static final int WC_RETRY_EXC_ERR = 12;
    static final int WC_RNR_RETRY_EXC_ERR = 13;

    // enum ibv_wc_opcode
    static final int WC_RECV_RDMA_WITH_IMM = 129;

    // enum ibv_access_flags
    static final int ACCESS_LOCAL_WRITE = 1;
    static final int ACCESS_REMOTE_WRITE = 2;
    static final int ACCESS_REMOTE_READ = 4;

    // enum ibv_event_type
    static final int EVENT_CQ_ERR = 0;
    static final int EVENT_QP_FATAL = 1;
    static final int EVENT_QP_REQ_ERR = 2;
    static final int EVENT_QP_ACCESS_ERR = 3;
    static final int EVENT_DEVICE_FATAL = 8;
    static final int EVENT_PORT_ACTIVE = 9;
    static final int EVENT_PORT_ERR = 10;

    private VerbsLayout() {}

    /** Translates a status. One that has no constant becomes GENERAL_ERR, with its number as the vendor error. */
    static CompletionStatus statusOf(int status) {
        return switch (status) {
            case WC_SUCCESS -> CompletionStatus.SUCCESS;
            case WC_LOC_LEN_ERR -> CompletionStatus.LOC_LEN_ERR;
            case WC_LOC_PROT_ERR -> CompletionStatus.LOC_PROT_ERR;
            case WC_WR_FLUSH_ERR -> CompletionStatus.WR_FLUSH_ERR;
            case WC_REM_INV_REQ_ERR -> CompletionStatus.REM_INV_REQ_ERR;
            case WC_REM_ACCESS_ERR -> CompletionStatus.REM_ACCESS_ERR;
            case WC_RETRY_EXC_ERR -> CompletionStatus.RETRY_EXC_ERR;
            case WC_RNR_RETRY_EXC_ERR -> CompletionStatus.RNR_RETRY_EXC_ERR;
            default -> CompletionStatus.GENERAL_ERR;
        };
    }
}
