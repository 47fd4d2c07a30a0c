// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.channel.epoll.Epoll;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaProvider;
import java.io.IOException;
import java.util.Optional;

/** One-sided operations on shared memory, for two peers on one host. Found by ServiceLoader. */
public final class ShmProvider implements RdmaProvider {
    @Override
    public String name() {
        return "shm";
    }

    @Override
    public Optional<String> unavailableReason() {
        if (!Epoll.isAvailable()) {
            return Optional.of("the shm provider needs Linux and Netty's native epoll transport: "
                    + Epoll.unavailabilityCause().getMessage());
        }
        String reason = Descriptors.unavailableReason();
        return Optional.ofNullable(reason != null ? reason : Seals.unavailableReason());
    }

    @Override
    public RdmaDevice open(DeviceConfig config) throws IOException {
        Optional<String> reason = unavailableReason();
        if (reason.isPresent()) {
            throw new IOException(reason.get());
        }
        return new ShmDevice(config.localPeers());
    }
}
