// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.CompletionStatus;

/**
 * Translates {@code enum ibv_wc_status}. A status that has no constant becomes GENERAL_ERR, with its number as the
 * vendor error.
 */
final class CompletionStatuses {
    static final int SUCCESS = 0;
    static final int LOC_LEN_ERR = 1;
    static final int LOC_QP_OP_ERR = 2;
    static final int LOC_PROT_ERR = 4;
    static final int WR_FLUSH_ERR = 5;
    static final int REM_INV_REQ_ERR = 9;
    static final int REM_ACCESS_ERR = 10;
    static final int RETRY_EXC_ERR = 12;
    static final int RNR_RETRY_EXC_ERR = 13;

    private CompletionStatuses() {}

    static CompletionStatus of(int status) {
        return switch (status) {
            case SUCCESS -> CompletionStatus.SUCCESS;
            case LOC_LEN_ERR -> CompletionStatus.LOC_LEN_ERR;
            case LOC_PROT_ERR -> CompletionStatus.LOC_PROT_ERR;
            case WR_FLUSH_ERR -> CompletionStatus.WR_FLUSH_ERR;
            case REM_INV_REQ_ERR -> CompletionStatus.REM_INV_REQ_ERR;
            case REM_ACCESS_ERR -> CompletionStatus.REM_ACCESS_ERR;
            case RETRY_EXC_ERR -> CompletionStatus.RETRY_EXC_ERR;
            case RNR_RETRY_EXC_ERR -> CompletionStatus.RNR_RETRY_EXC_ERR;
            default -> CompletionStatus.GENERAL_ERR;
        };
    }
}
