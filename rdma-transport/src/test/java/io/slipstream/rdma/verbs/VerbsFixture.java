// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaListener;
import io.slipstream.rdma.RdmaProvider;
import io.slipstream.rdma.contract.ProviderFixture;
import java.io.IOException;

/** Devices of one process on the first active port. */
final class VerbsFixture implements ProviderFixture {
    private final RdmaProvider provider = RdmaProvider.named("verbs").orElseThrow();
    private final RdmaDevice addresses;

    VerbsFixture() throws IOException {
        addresses = provider.open(DeviceConfig.DEFAULT);
    }

    @Override
    public RdmaDevice openDevice() throws IOException {
        return provider.open(DeviceConfig.DEFAULT);
    }

    /** A port number that the kernel has just assigned. */
    @Override
    public String unusedAddress() throws IOException {
        try (RdmaListener listener = addresses.listen(":0", request -> request.reject("not meant to be used"))) {
            return listener.address();
        }
    }

    @Override
    public void close() {
        addresses.close();
    }
}
