// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.slipstream.link.meter.Meter;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.proxy.ring.ProduceFrames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a link whose device has not completed all requests. */
@Timeout(60)
class LinkEndTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final int MB = 1 << 20;

    private FastPathFixture fixture;
    private PluginPeer peer;
    private TestClient client;

    @BeforeEach
    void start() throws IOException {
        fixture = new FastPathFixture(FastPathFixture.REGISTERED_MEMORY);
        peer = fixture.peer();
        client = fixture.client(peer);
        peer.run(() -> {
            PeerLog log = peer.log("cars", 0);
            log.append("a");
            log.commit();
        });
        assertThat(client.submit(fetch().partition(0, 0, MB).bytes()).await().kind())
                .isEqualTo("respond");
    }

    @AfterEach
    void stop() throws IOException {
        SlowReads.withheld = false;
        client.close();
        fixture.close();
        peer.close();
    }

    private TestClient.Request fetchThatIsBeingRead() {
        SlowReads.withheld = true;
        TestClient.Request reading = client.submit(fetch().partition(0, 0, MB).bytes());
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.READ_MEMORY_IN_USE_BYTES) > 0);
        return reading;
    }

    @Test
    void shouldKeepBuffersUntilTheDeviceIsDoneWithThem() {
        TestClient.Request reading = fetchThatIsBeingRead();
        peer.run(() -> peer.link().queuePair.disconnect("test"));
        await("the loss is noticed")
                .atMost(SOON)
                .until(() -> fixture.meters.value(Meter.LINK_FAILURES, "queue_pair") == 1);
        client.on(() -> null);
        assertThat(reading.answer).isNotDone();
        assertThat(fixture.meters.value(Meter.READ_MEMORY_IN_USE_BYTES)).isPositive();
        TestClient other = fixture.client(peer);
        assertThat(other.submit(ProduceFrames.produce(1, 10)).await().kind())
                .as("others do not wait for it")
                .isEqualTo("fallBack:LINK_DOWN");

        SlowReads.withheld = false;
        assertThat(reading.await().kind()).isEqualTo("fallBack:LINK_DOWN");
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.READ_MEMORY_IN_USE_BYTES) == 0);
        await("the fence is counted").atMost(SOON).until(() -> fixture.meters.value(Meter.FENCES, "drained") == 1);
        assertThat(fixture.meters.value(Meter.FENCES, "abandoned")).isZero();
        other.close();
    }

    @Test
    void shouldNeverUseMemoryAgainThatTheDeviceDoesNotGiveBack() {
        TestClient.Request reading = fetchThatIsBeingRead();
        peer.run(() -> peer.link().queuePair.disconnect("test"));
        assertThat(reading.await().kind()).isEqualTo("fallBack:LINK_DOWN");
        assertThat(fixture.meters.value(Meter.FENCES, "abandoned")).isEqualTo(1);
        assertThat(fixture.meters.value(Meter.FENCES, "drained")).isZero();
        SlowReads.withheld = false;
        peer.run(peer.links::clear);
        TestClient next = fixture.client(peer);
        await("a new link is up, but nothing is read")
                .atMost(SOON)
                .until(
                        () -> next.submit(fetch().partition(0, 0, MB).bytes())
                                .await()
                                .kind(),
                        "fallBack:LIMIT"::equals);
        next.close();
    }

    @Test
    void shouldAnswerWhatWasAnsweredBeforeTheEnd() throws InterruptedException {
        TestClient.Request answered = client.submit(ProduceFrames.produce(1, 10));
        TestClient.Request unanswered = client.submit(ProduceFrames.produce(2, 10));
        PeerLink.Landed landed = peer.landed.poll(10, TimeUnit.SECONDS);
        assertThat(peer.landed.poll(10, TimeUnit.SECONDS)).isNotNull();
        // While the event loop is busy, so that it sees the reply and the end at once, and the end first.
        client.on(() -> {
            peer.run(() -> {
                peer.link().reply(landed, 0, "response".getBytes(StandardCharsets.UTF_8));
                peer.link().queuePair.disconnect("test");
            });
            SingleThreadEventExecutor loop = (SingleThreadEventExecutor) client.eventLoop();
            await("the end is to be told").atMost(SOON).until(() -> loop.pendingTasks() > 0);
            return null;
        });

        assertThat(answered.await().kind()).isEqualTo("respond");
        assertThat(answered.await().response()).isEqualTo("response".getBytes(StandardCharsets.UTF_8));
        assertThat(unanswered.await().kind()).startsWith("close:the outcome of a request is unknown");
    }

    @Test
    void shouldComeBackAlthoughAClientFailsAtTheEnd() throws InterruptedException {
        TestClient.Request failing = client.submit(ProduceFrames.produce(1, 10));
        TestClient.Request other = client.submit(ProduceFrames.produce(2, 10));
        for (int i = 0; i < 2; i++) {
            assertThat(peer.landed.poll(10, TimeUnit.SECONDS)).isNotNull();
        }
        // Its second answer throws.
        failing.answer.cancel(false);
        peer.run(() -> {
            peer.link().queuePair.disconnect("test");
            peer.links.clear();
        });

        assertThat(other.await().kind()).startsWith("close:the outcome of a request is unknown");
        await("a new link is up")
                .atMost(SOON)
                .until(
                        () -> client.submit(fetch().partition(0, 0, MB).bytes())
                                .await()
                                .kind(),
                        "respond"::equals);
    }

    @Test
    void shouldBelieveNoReplyOfAPluginThatBrokeARule() throws InterruptedException {
        TestClient.Request request = client.submit(ProduceFrames.produce(1, 10));
        PeerLink.Landed landed = peer.landed.poll(10, TimeUnit.SECONDS);
        client.on(() -> {
            peer.run(() -> {
                // A reply at a wrong position, then a valid one; one poll of the queue finds both.
                peer.link().raw(0, 0, 1 << 20);
                peer.link().reply(landed, 0, "response".getBytes(StandardCharsets.UTF_8));
            });
            return null;
        });

        assertThat(request.await().kind()).startsWith("close:the outcome of a request is unknown");
    }

    @Test
    void shouldLetNoRequestWaitWhileALostLinkIsSetUpAgain() {
        peer.run(() -> {
            peer.ignored.add(ControlApi.OPEN_LINK);
            peer.link().queuePair.disconnect("test");
        });
        await("the proxy asks for a link that it does not get")
                .atMost(SOON)
                .until(() -> peer.on(() -> peer.requests.stream()
                                .filter(ControlRequest.OpenLink.class::isInstance)
                                .count())
                        == 2);
        TestClient other = fixture.client(peer);
        for (TestClient each : new TestClient[] {client, other}) {
            TestClient.Request request = each.on(() -> {
                TestClient.Request submitted = each.submitNow(ProduceFrames.produce(1, 10));
                assertThat(submitted.answer).as("ends at once").isDone();
                return submitted;
            });
            assertThat(request.await().kind()).isEqualTo("fallBack:LINK_DOWN");
        }
        other.close();
    }
}
