// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

/**
 * Operations that a peer may perform on a {@link MemoryRegion}. Local access is always allowed. The names follow {@code
 * ibv_access_flags} (ibv_reg_mr(3)).
 */
public enum Access {
    REMOTE_READ,
    REMOTE_WRITE
}
