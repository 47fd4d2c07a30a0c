// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.spi;

/** The provider {@code tcp}: no RDMA, and no switching at run time. */
public final class NoFastPath implements FastPathFactory {
    @Override
    public FastPath open(ClientConnection connection) {
        throw new IllegalStateException("there is no fast path");
    }

    @Override
    public void setEnabled(boolean enabled) {
        // Has no effect: the configuration selected the provider tcp.
    }

    @Override
    public boolean isEnabled() {
        return false;
    }

    @Override
    public void close() {
        // It has no resources.
    }
}
