// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.netty.channel.epoll.Epoll;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaProvider;
import java.io.IOException;
import java.util.Optional;

/** RDMA devices of the kernel, through libibverbs and librdmacm. Found by ServiceLoader. */
public final class VerbsProvider implements RdmaProvider {
    static final String NAME = "verbs";

    @Override
    public String name() {
        return NAME;
    }

    /** Checks for a device first: without one the library does not matter. */
    @Override
    public Optional<String> unavailableReason() {
        return PortSelection.unavailableReason(DevicePort.SYSFS).or(VerbsProvider::libraryReason);
    }

    private static Optional<String> libraryReason() {
        return NativeLibrary.unavailableReason()
                .or(() -> Epoll.isAvailable()
                        ? Optional.empty()
                        : Optional.of("the verbs provider needs Netty's native epoll transport: "
                                + Epoll.unavailabilityCause().getMessage()));
    }

    @Override
    public RdmaDevice open(DeviceConfig config) throws IOException {
        Optional<String> reason = unavailableReason();
        if (reason.isPresent()) {
            throw new IOException(reason.get());
        }
        PortSelection selection = PortSelection.select(DevicePort.list(DevicePort.SYSFS), config);
        return VerbsDevice.open(NativeLibrary.natives(), selection, config);
    }
}
