// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.WorkRequest;
import io.slipstream.rdma.contract.OperationsContract;
import io.slipstream.rdma.contract.ProviderFixture;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;

class ShmOperationsTest extends OperationsContract {
    @Override
    protected ProviderFixture openFixture() throws Exception {
        return new ShmFixture();
    }

    /** A device requires registered local memory; this provider copies from any memory. */
    @Test
    void shouldUseAnyDirectMemory() throws Exception {
        int key = initiator.domain.anyLocalMemoryKey();
        MemoryRegion remote = target.exported(64, Access.REMOTE_WRITE);
        ByteBuffer direct = ByteBuffer.allocateDirect(16).put(0, (byte) 42);

        WorkRequest write = initiator.request(Opcode.WRITE, remote, 0);
        write.addSegment(key, BufferUtil.address(direct), 16);
        initiator.queuePair.post(write);

        initiator.awaitCompletion(Opcode.WRITE, CompletionStatus.SUCCESS);
        assertThat(remote.buffer().get(0)).isEqualTo((byte) 42);
    }
}
