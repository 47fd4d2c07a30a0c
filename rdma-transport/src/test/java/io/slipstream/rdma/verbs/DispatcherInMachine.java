// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * All 48 natives of DiSNI's dispatcher, called as DiSNI calls them. Runs inside the Soft-RoCE machine; its name keeps
 * it out of other runs.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class DispatcherInMachine {
    private static final int MEMORY_BYTES = 64 << 10;
    private static final int DATA = 4096;
    private static final int RC = 2;
    private static final int TIMEOUT_MS = 30_000;

    private final NativeCalls calls = new NativeCalls();
    private final ByteBuffer memory = ByteBuffer.allocateDirect(MEMORY_BYTES).order(ByteOrder.nativeOrder());
    private final long address = NativeLibrary.natives().addressOf(memory);

    @Test
    void shouldCarryAMessageWithTheDispatcherAlone() throws Exception {
        for (String size : new String[] {
            "_getVersion",
            "_getSockAddrInSize",
            "_getIbvRecvWRSize",
            "_getIbvSendWRSize",
            "_getIbvSgeSize",
            "_getIbvWCSize",
            "_getRemoteAddressOffset",
            "_getRKeyOffset"
        }) {
            assertThat(calls.dispatcher(size)).isPositive();
        }
        long channel = calls.dispatcher("_createEventChannel");
        long listener = calls.dispatcher("_createId", channel, (short) 0x0106);
        socketAddress(0);
        calls.dispatcher("_bindAddr", listener, address);
        calls.dispatcher("_listen", listener, 4);
        assertThat(calls.dispatcher("_getSrcAddr", listener, address + 32)).isZero();
        int port = Short.toUnsignedInt(Short.reverseBytes(memory.getShort(34)));

        long client = calls.dispatcher("_createId", channel, (short) 0x0106);
        socketAddress(port);
        calls.dispatcher("_resolveAddr", client, 0L, address, TIMEOUT_MS);
        event(channel, CmEvent.ADDR_RESOLVED);
        calls.dispatcher("_resolveRoute", client, TIMEOUT_MS);
        event(channel, CmEvent.ROUTE_RESOLVED);
        assertThat(calls.dispatcher("_getDstAddr", client, address + 32)).isZero();
        assertThat(Short.toUnsignedInt(Short.reverseBytes(memory.getShort(34)))).isEqualTo(port);

        long context = calls.dispatcher("_getContext", client);
        assertThat(calls.dispatcher("_getContextFd", context)).isPositive();
        assertThat(calls.dispatcher("_getContextNumCompVectors", context)).isPositive();
        long domain = calls.dispatcher("_allocPd", context);
        assertThat(calls.dispatcher("_getPdHandle", domain)).isNotNegative();
        long completions = calls.dispatcher("_createCompChannel", context);
        long queue = calls.dispatcher("_createCQ", context, completions, 16, 0);
        assertThat(calls.dispatcher("_queryOdpSupport", context)).isNotNegative();
        long region = calls.dispatcher("_regMr", domain, address, MEMORY_BYTES, 7, address, address + 4, address + 8);
        int lkey = memory.getInt(0);
        assertThatThrownBy(() -> calls.dispatcher("_expPrefetchMr", region, address, 4096))
                .as("needs on-demand paging")
                .hasMessageStartingWith("ibv_advise_mr: EOPNOTSUPP");
        long clientPair = calls.dispatcher("_createQP", client, domain, queue, queue, RC, 4, 4, 0);
        memory.putLong(DATA, 99);
        calls.dispatcher("_connect", client, 3, 3, address + DATA, (byte) 8);

        long server = event(channel, CmEvent.CONNECT_REQUEST);
        long serverPair = calls.dispatcher("_createQP", server, domain, queue, queue, RC, 4, 4, 0);
        assertThat(calls.dispatcher("_getQpNum", serverPair)).isNotEqualTo(calls.dispatcher("_getQpNum", clientPair));
        calls.dispatcher("_accept", server, 3, 3);
        event(channel, CmEvent.ESTABLISHED);
        event(channel, CmEvent.ESTABLISHED);
        assertThat(calls.dispatcher("_ackCmEvent", CmEvent.ESTABLISHED)).isZero();

        request(lkey);
        calls.dispatcher("_reqNotifyCQ", queue, 0);
        calls.dispatcher("_postRecv", serverPair, address);
        calls.dispatcher("_postSend", clientPair, address);
        assertThat(calls.dispatcher("_getCqEvent", completions, TIMEOUT_MS)).isZero();
        calls.dispatcher("_ackCqEvent", queue, 1);
        completions(queue, 2);
        assertThat(calls.dispatcher("_getCqEvent", completions, 0)).isEqualTo(-1);

        calls.dispatcher("_modifyQP", serverPair, 0L);
        assertThatThrownBy(() -> calls.dispatcher("_modifyQP", serverPair, address))
                .hasMessageStartingWith("ibv_modify_qp: EINVAL");
        assertThat(calls.dispatcher("_disconnect", client)).isZero();
        assertThat(calls.dispatcher("_destroyQP", client)).isZero();
        assertThat(calls.dispatcher("_destroyQP", client)).as("none left").isPositive();
        while (calls.dispatcher("_getCmEvent", channel, address, address + 8, 200) >= 0) {
            // both sides' DISCONNECTED, perhaps more
        }
        assertThat(calls.dispatcher("_destroyEp", server)).isZero();
        calls.dispatcher("_deregMr", region);
        assertThat(calls.dispatcher("_destroyCmId", client)).isZero();
        assertThat(calls.dispatcher("_destroyCmId", listener)).isZero();
        assertThat(calls.dispatcher("_destroyCQ", queue)).isZero();
        assertThat(calls.dispatcher("_destroyCompChannel", completions)).isZero();
        assertThat(calls.dispatcher("_deallocPd", domain)).isZero();
        assertThat(calls.dispatcher("_destroyEventChannel", channel)).isZero();

        assertThat(calls.dispatcherNotCalled()).isEmpty();
    }

    /** The client's id, after an event of that type. */
    private long event(long channel, int type) throws Exception {
        assertThat(calls.dispatcher("_getCmEvent", channel, address, address + 8, TIMEOUT_MS))
                .isEqualTo(type);
        return memory.getLong(8);
    }

    /** A sockaddr_in at the start of the memory. */
    private void socketAddress(int port) throws IOException {
        memory.putShort(0, (short) 2).putShort(2, Short.reverseBytes((short) port));
        memory.put(
                4,
                InetAddress.getByName(System.getenv("SLIPSTREAM_RDMA_ADDRESS")).getAddress());
    }

    /** A send request of 8 bytes, whose first 32 bytes are a receive request as well. */
    private void request(int lkey) {
        memory.putLong(0, 1)
                .putLong(8, 0)
                .putLong(16, address + 128)
                .putInt(24, 1)
                .putInt(28, 2)
                .putInt(32, 2);
        memory.putLong(128, address + DATA).putInt(136, 8).putInt(140, lkey);
    }

    private void completions(long queue, int count) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        int taken = 0;
        while (taken < count && System.nanoTime() < end) {
            if (calls.dispatcher("_pollCQ", queue, 1, address + 256) > 0) {
                assertThat(memory.getInt(264)).as("status").isZero();
                taken++;
            }
        }
        assertThat(taken).isEqualTo(count);
    }
}
