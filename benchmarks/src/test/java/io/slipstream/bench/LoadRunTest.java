// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 1, unit = TimeUnit.MINUTES)
class LoadRunTest {
    private static final int TOGETHER = 10;
    private static final long MILLISECOND_NS = 1_000_000;
    /** Longer than the test may take. */
    private static final long NEVER_NS = TimeUnit.MINUTES.toNanos(10);

    private static final List<RequestFrame> REQUESTS = List.of(ProduceRequests.version(ProduceRequests.NEWEST, 1)
            .add(new TopicRef("t", Uuid.randomUuid()), 0, Batches.of(new byte[10]))
            .frame());

    private ServerSocket server;

    @AfterEach
    void stop() throws IOException {
        if (server != null) {
            server.close();
        }
    }

    /** A client that waits for an answer before the next request would hang here. */
    @Test
    void shouldSendWhatIsDueAndCountFromThen() throws Exception {
        InetSocketAddress address = serve(TOGETHER, Errors.NONE);

        LoadRun run = new LoadRun(Schedule.constant(1_000), 0, 2 * TOGETHER * MILLISECOND_NS, NEVER_NS)
                .run(address, REQUESTS, 100);

        assertThat(run.answersAfterWarmup()).isEqualTo(2 * TOGETHER);
        assertThat(run.answers()).isEqualTo(2 * TOGETHER);
        // Of each ten requests, the first is answered after the last one was scheduled, nine milliseconds later.
        assertThat(run.latencies().getMaxValue()).isGreaterThanOrEqualTo(9 * MILLISECOND_NS);
        assertThat(run.latencies().getCountBetweenValues(5 * MILLISECOND_NS, Long.MAX_VALUE / 2))
                .isGreaterThanOrEqualTo(TOGETHER);
        assertThat(run.elapsedNs()).isGreaterThanOrEqualTo(2 * TOGETHER * MILLISECOND_NS);
    }

    @Test
    void shouldLeaveTheWarmUpOut() throws Exception {
        InetSocketAddress address = serve(1, Errors.NONE);

        LoadRun run = new LoadRun(Schedule.constant(1_000), 5 * MILLISECOND_NS, 10 * MILLISECOND_NS, NEVER_NS)
                .run(address, REQUESTS, 100);

        // Some requests precede the schedule.
        assertThat(run.answers()).isGreaterThan(15);
        assertThat(run.answersAfterWarmup()).isGreaterThanOrEqualTo(10);
        assertThat(run.latencies().getTotalCount()).isEqualTo(10);
    }

    @Test
    void shouldCountWhatWasDueAndNeverSent() {
        LoadRun run = new LoadRun(Schedule.constant(1_000), 5 * MILLISECOND_NS, 10 * MILLISECOND_NS, NEVER_NS);

        run.giveUp(7, 100 * MILLISECOND_NS);

        assertThat(run.latencies().getTotalCount()).isEqualTo(8);
        assertThat(run.latencies().getMaxValue()).isGreaterThanOrEqualTo(93 * MILLISECOND_NS);
    }

    @Test
    void shouldRefuseAnswersThatTellAnError() throws Exception {
        InetSocketAddress address = serve(1, Errors.NOT_LEADER_OR_FOLLOWER);

        assertThatThrownBy(() ->
                        new LoadRun(Schedule.constant(1_000), 0, MILLISECOND_NS, NEVER_NS).run(address, REQUESTS, 5))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("error " + Errors.NOT_LEADER_OR_FOLLOWER.code());
    }

    /** Answers this many requests together when the last of them has arrived. */
    private InetSocketAddress serve(int together, Errors error) throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(() -> {
            try (Socket socket = server.accept();
                    DataInputStream in = new DataInputStream(socket.getInputStream());
                    OutputStream out = socket.getOutputStream()) {
                for (int next = 0; ; next++) {
                    in.skipNBytes(in.readInt());
                    if ((next + 1) % together == 0) {
                        for (int i = next + 1 - together; i <= next; i++) {
                            ByteBuffer answer = ProduceAnswers.answer(i, error.code());
                            out.write(ByteBuffer.allocate(Integer.BYTES)
                                    .putInt(answer.limit())
                                    .array());
                            out.write(answer.array(), 0, answer.limit());
                        }
                    }
                }
            } catch (IOException end) {
                // The client is done.
            }
        });
        thread.setDaemon(true);
        thread.start();
        return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
    }
}
