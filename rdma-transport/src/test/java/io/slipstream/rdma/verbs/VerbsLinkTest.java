// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.contract.ConnectedPeers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The link of the RDMA device goes down and up again. Runs only in the emulated machine. */
@NeedsRdmaDevice
@Timeout(180)
class VerbsLinkTest {
    private static final String NETDEV = System.getenv("SLIPSTREAM_RDMA_NETDEV");
    private static final String ADDRESS6 = System.getenv("SLIPSTREAM_RDMA_ADDRESS6");
    private static final long NOTICED_NS = TimeUnit.SECONDS.toNanos(30);

    private VerbsFixture fixture;

    @BeforeEach
    void open() throws Exception {
        assumeTrue(System.getenv("SLIPSTREAM_SOFTROCE") != null, "not in the Soft-RoCE machine");
        fixture = new VerbsFixture();
    }

    @AfterEach
    void close() throws Exception {
        if (fixture != null) {
            link("up");
            fixture.close();
        }
    }

    private static void run(String... command) throws Exception {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    private static void link(String state) throws Exception {
        run("ip", "link", "set", NETDEV, state);
        if (state.equals("up")) {
            // Its IPv6 addresses were removed with the link.
            run("ip", "-6", "address", "replace", ADDRESS6 + "/64", "dev", NETDEV, "nodad");
        }
    }

    @Test
    void shouldEndConnectionsWhenTheLinkGoesAndConnectAgainWhenItIsBack() throws Exception {
        try (ConnectedPeers peers = new ConnectedPeers(fixture)) {
            peers.target.postReceives(1);
            link("down");
            long downNs = System.nanoTime();
            // Nothing is in flight, so only the keep-alive detects this. A poll sees its failure.
            peers.initiator.awaitErrorPolling();
            peers.target.awaitErrorPolling();
            peers.initiator.awaitDisconnect();
            peers.target.awaitDisconnect();
            System.out.println("link down noticed after "
                    + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - downNs) + " ms: "
                    + peers.initiator.queuePair.errorReason());
            assertThat(System.nanoTime() - downNs).isLessThan(NOTICED_NS);
            assertThatThrownBy(() -> peers.initiator
                            .device
                            .connect("10.0.0.1:1", peers.initiator.config(), ByteBuffer.allocate(0), NOTICED_NS)
                            .toCompletableFuture()
                            .get(NOTICED_NS, TimeUnit.NANOSECONDS))
                    .hasMessageContaining("link")
                    .hasMessageContaining("down");
            link("up");
        }
        Awaitility.await().atMost(Duration.ofSeconds(30)).ignoreExceptions().untilAsserted(() -> {
            try (ConnectedPeers again = new ConnectedPeers(fixture)) {
                again.target.postReceives(1);
                again.initiator.queuePair.post(again.initiator.request(Opcode.WRITE_WITH_IMM, null, 0));
                again.target.awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS);
            }
        });
    }
}
