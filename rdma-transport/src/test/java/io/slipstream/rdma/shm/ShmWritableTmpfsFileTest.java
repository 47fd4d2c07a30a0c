// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import java.nio.file.Path;

class ShmWritableTmpfsFileTest extends ShmWritableFileTest {
    @Override
    protected Path parentDirectory() {
        return Path.of("/dev/shm");
    }
}
