// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaProvider;
import io.slipstream.rdma.contract.ProviderFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** Devices of one process, sockets in a short-named temporary directory. */
final class ShmFixture implements ProviderFixture {
    private final Path directory;
    private final AtomicInteger addresses = new AtomicInteger();

    ShmFixture() throws IOException {
        directory = Files.createTempDirectory("slp");
    }

    @Override
    public RdmaDevice openDevice() throws IOException {
        return RdmaProvider.named("shm").orElseThrow().open(DeviceConfig.DEFAULT);
    }

    @Override
    public String unusedAddress() {
        return directory.resolve("s" + addresses.incrementAndGet()).toString();
    }

    /** Fails if a listener left its socket behind. */
    @Override
    public void close() throws IOException {
        Files.delete(directory);
    }
}
