// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

/** An address on which connection requests arrive. */
public interface RdmaListener extends AutoCloseable {
    /** The address that a peer passes to {@link RdmaDevice#connect}. */
    String address();

    @Override
    void close();

    /** Called on the device's connection thread for each request. Must not block. */
    @FunctionalInterface
    interface Handler {
        void onConnectionRequest(ConnectionRequest request);
    }
}
