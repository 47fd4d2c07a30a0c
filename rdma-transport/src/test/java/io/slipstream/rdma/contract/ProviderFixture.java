// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.contract;

import io.slipstream.rdma.RdmaDevice;
import java.io.IOException;

/** The contract's requirements of a provider: devices that can reach each other, and addresses to listen on. */
public interface ProviderFixture extends AutoCloseable {
    /** A device of its own; closed by the test. */
    RdmaDevice openDevice() throws IOException;

    /** An address on which no listener has been. */
    String unusedAddress() throws IOException;

    @Override
    void close() throws IOException;
}
