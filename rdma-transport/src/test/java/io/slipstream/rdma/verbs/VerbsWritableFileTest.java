package io.slipstream.rdma.verbs;

import io.slipstream.rdma.contract.ProviderFixture;
import io.slipstream.rdma.contract.WritableFileContract;
import java.nio.file.Path;

@NeedsRdmaDevice
class VerbsWritableFileTest extends WritableFileContract {
    @Override
    protected ProviderFixture openFixture() throws Exception {
        return new VerbsFixture();
    }

    /** The one file system into which a device may write. */
    @Override
    protected Path parentDirectory() {
        return Path.of("/dev/shm");
    }
}
