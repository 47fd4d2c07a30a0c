// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.slipstream.broker.config.TopicSet;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.replication.ReplicationMeters.Fallback;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class FetchCallTest {
    private static final long LONG_NS = TimeUnit.MINUTES.toNanos(5);

    private final DrivenLoop loop = new DrivenLoop(() -> {});
    private final Fetcher fetcher = new Fetcher(
            new LeaderSession(loop, null, null, 2, 0),
            "broker-1-fetcher-0",
            TopicSet.NONE,
            null,
            new ReplicationMeters(new PluginMeters().registry));

    private FetchCall call() {
        return new FetchCall(fetcher, null, null, ByteBuffer.allocate(10));
    }

    @Test
    void shouldHandOverTheAnswer() {
        FetchCall call = call();
        ByteBuf answer = Unpooled.buffer();

        call.answer(answer);

        assertThat(call.isOver()).isTrue();
        assertThat(call.result()).isSameAs(answer);
        assertThat(answer.refCnt()).isEqualTo(1);
    }

    @Test
    void shouldReleaseAnAnswerThatComesTooLate() {
        FetchCall call = call();
        ByteBuf answer = Unpooled.buffer();
        assertThat(call.result()).isNull();
        assertThat(call.failure()).isEqualTo(Fallback.TIMED_OUT);
        assertThat(call.isCancelled()).isTrue();

        call.answer(answer);

        assertThat(answer.refCnt()).isZero();
        assertThat(call.result()).isNull();
    }

    @Test
    void shouldNameTheFailure() {
        FetchCall call = call();

        call.fail(Fallback.LINK_LOST);

        assertThat(call.result()).isNull();
        assertThat(call.failure()).isEqualTo(Fallback.LINK_LOST);
        assertThat(call.isCancelled()).isFalse();
    }

    /** As Kafka closes a fetcher whose thread waits. */
    @Test
    void shouldEndTheWaitOfAClosedFetcher() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        CompletableFuture<ByteBuf> end = CompletableFuture.supplyAsync(() -> {
            FetchCall call = call();
            loop.await(waiting::countDown, call, System.nanoTime() + LONG_NS);
            return call.result();
        });
        assertThat(waiting.await(20, TimeUnit.SECONDS)).isTrue();

        fetcher.close();

        assertThat(end.get(20, TimeUnit.SECONDS)).isNull();
    }
}
