// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NameLookupsTest {
    private static final int PATIENT_MS = 50_000;
    private static final int PORT = 9092;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    private final EventLoop loop = loops.next();
    private final SlowNames slow = new SlowNames();
    private NameLookups lookups = new NameLookups(slow);

    @AfterEach
    void close() {
        lookups.close();
        slow.release();
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private void bounded(int threads, int queued) {
        lookups = new NameLookups(slow, threads, queued);
    }

    /** Resolves on the event loop's thread. */
    private Future<List<InetSocketAddress>> resolve(EventLoop asking, String name, int timeoutMs) throws Exception {
        return asking.submit(
                        () -> lookups.addressesOf(InetSocketAddress.createUnresolved(name, PORT), asking, timeoutMs))
                .get(10, TimeUnit.SECONDS);
    }

    private static void assertFailed(Future<?> resolved, String... words) throws Exception {
        assertThat(resolved.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(resolved.cause()).isInstanceOf(UnknownHostException.class).hasMessageContainingAll(words);
    }

    private static void assertResolved(Future<List<InetSocketAddress>> resolved) throws Exception {
        assertThat(resolved.get(10, TimeUnit.SECONDS))
                .as("all addresses, in the order of the lookup")
                .containsExactly(
                        new InetSocketAddress(SlowNames.DEAD, PORT),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT));
    }

    @Test
    void shouldLetTheEventLoopServeOthersWhileALookupHangs() throws Exception {
        Future<List<InetSocketAddress>> resolved = resolve(loop, "broker.test", PATIENT_MS);
        slow.awaitHanging();
        assertThat(loop.schedule(() -> "served", 1, TimeUnit.MILLISECONDS).get(10, TimeUnit.SECONDS))
                .isEqualTo("served");
        assertThat(resolved.isDone()).isFalse();
        assertThat(slow.threads).allMatch(Thread::isDaemon);
        slow.release();
        assertResolved(resolved);
    }

    @Test
    void shouldAnswerOnTheEventLoop() throws Exception {
        Future<List<InetSocketAddress>> resolved = resolve(loop, "broker.test", PATIENT_MS);
        var heard = loop.<Thread>newPromise();
        resolved.addListener(done -> heard.setSuccess(Thread.currentThread()));
        slow.release();
        Thread listener = heard.get(10, TimeUnit.SECONDS);
        assertThat(loop.submit(Thread::currentThread).get(10, TimeUnit.SECONDS)).isSameAs(listener);
    }

    @Test
    void shouldGiveUpAtTheDeadlineAndNameTheBroker() throws Exception {
        assertFailed(resolve(loop, "broker.test", 20), "broker.test", "within 20 ms");
        // The thread that looks up may start later than the deadline.
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(slow.asked).containsExactly("broker.test"));
    }

    @Test
    void shouldShareALookupAmongAllWhoWantThatName() throws Exception {
        EventLoop other = loops.next();
        assertThat(other).isNotSameAs(loop);
        List<Future<List<InetSocketAddress>>> waiting = List.of(
                resolve(loop, "broker.test", PATIENT_MS),
                resolve(loop, "broker.test", PATIENT_MS),
                resolve(other, "broker.test", PATIENT_MS));
        assertFailed(resolve(other, "broker.test", 1), "broker.test");
        slow.release();
        for (Future<List<InetSocketAddress>> one : waiting) {
            assertResolved(one);
        }
        assertThat(slow.asked).containsExactly("broker.test");
        assertResolved(resolve(loop, "broker.test", PATIENT_MS));
        assertThat(slow.asked).as("answers are for the JDK to keep").hasSize(2);
    }

    @Test
    void shouldRefuseMoreThanItsQueueHolds() throws Exception {
        bounded(1, 1);
        Future<List<InetSocketAddress>> first = resolve(loop, "first.test", PATIENT_MS);
        Future<List<InetSocketAddress>> second = resolve(loop, "second.test", PATIENT_MS);
        assertFailed(resolve(loop, "third.test", PATIENT_MS), "third.test", "1 lookups hang and 1 wait");
        Future<List<InetSocketAddress>> again = resolve(loop, "second.test", PATIENT_MS);
        slow.release();
        assertResolved(first);
        assertResolved(second);
        assertResolved(again);
        assertThat(slow.asked).containsExactly("first.test", "second.test");
    }

    @Test
    void shouldDropALookupThatNobodyWaitsForAnyMore() throws Exception {
        bounded(1, 1);
        Future<List<InetSocketAddress>> first = resolve(loop, "first.test", PATIENT_MS);
        assertFailed(resolve(loop, "second.test", 1), "second.test", "within 1 ms");
        Future<List<InetSocketAddress>> third = resolve(loop, "third.test", PATIENT_MS);
        slow.release();
        assertResolved(first);
        assertResolved(third);
        assertThat(slow.asked).containsExactly("first.test", "third.test");
    }

    @Test
    void shouldFailWithTheNameAndAskAgain() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        lookups = new NameLookups(name -> {
            if (asked.incrementAndGet() == 1) {
                throw new UnknownHostException("Temporary failure");
            } else if (asked.get() == 2) {
                throw new IllegalStateException("broken");
            }
            return new InetAddress[] {InetAddress.getByName(SlowNames.DEAD), InetAddress.getLoopbackAddress()};
        });
        assertFailed(resolve(loop, "broker.test", PATIENT_MS), "broker.test", "Temporary failure");
        assertFailed(resolve(loop, "broker.test", PATIENT_MS), "broker.test", "broken");
        assertResolved(resolve(loop, "broker.test", PATIENT_MS));
    }

    @Test
    void shouldNotTakeAnAddressForAName() throws Exception {
        bounded(1, 1);
        for (String address : new String[] {"127.0.0.1", "::1", "[::1]", "::1%lo"}) {
            InetAddress resolved = loop.submit(() -> {
                        var answer = lookups.addressesOf(
                                InetSocketAddress.createUnresolved(address, PORT), loop, PATIENT_MS);
                        assertThat(answer.isDone()).as(address).isTrue();
                        return answer.getNow().get(0).getAddress();
                    })
                    .get(10, TimeUnit.SECONDS);
            assertThat(resolved.isLoopbackAddress()).as(address).isTrue();
        }
        assertThat(slow.asked).isEmpty();
    }

    @Test
    void shouldRefuseWhoWaitsAndReleaseItsThreadsWhenClosed() throws Exception {
        Future<List<InetSocketAddress>> hanging = resolve(loop, "hanging.test", PATIENT_MS);
        slow.awaitHanging();
        lookups.close();
        assertFailed(hanging, "hanging.test", "stopping");
        assertFailed(resolve(loop, "later.test", PATIENT_MS), "later.test", "stopping");
        slow.release();
        Thread thread = slow.threads.get(0);
        thread.join(5_000);
        assertThat(thread.isAlive()).isFalse();
        assertThat(slow.asked).containsExactly("hanging.test");
    }
}
