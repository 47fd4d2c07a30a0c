// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

/** What a peer may do to a {@link MemoryRegion}; local access is always allowed. Named after {@code ibv_access_flags}. */
public enum Access {
    REMOTE_READ,
    REMOTE_WRITE,
    REMOTE_ATOMIC
}
