// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.links;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.PluginCounts;
import io.slipstream.it.Neighbours;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Idle proxies cost a broker little memory and no processor, and are back within 10 s after its restart. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ManyLinksIT {
    private static final int IDLE_S = 3;
    private static final int WINDOWS = 3;
    private static final double MOST_PROCESSORS = 0.01;
    private static final long BYTES_PER_LINK = (300L << 20) / 1000;

    @Test
    void shouldServeAHundredIdleProxies() throws Exception {
        serve(Integer.getInteger("slipstream.proxies", 100));
    }

    @Test
    @Tag("thorough")
    void shouldServeAThousandIdleProxies() throws Exception {
        serve(1000);
    }

    @Test
    void shouldServeOthersWhileAHundredProxiesComeBack() throws Exception {
        serveOthers(100);
    }

    @Test
    @Tag("thorough")
    void shouldServeOthersWhileAThousandProxiesComeBack() throws Exception {
        serveOthers(1000);
    }

    private static void serveOthers(int count) throws Exception {
        try (BrokerProcess broker = BrokerProcess.builder(BrokerLine.NEWEST)
                        .withAgent()
                        .property("slipstream.max.links", Integer.toString(count + 1))
                        .start();
                Neighbours neighbours = new Neighbours(broker);
                ManyProxies proxies = new ManyProxies(broker, count)) {
            verifyWhileLinksOpen(neighbours, proxies, count, "open");
            broker.kill9();
            broker.restart();
            neighbours.connect();
            verifyWhileLinksOpen(neighbours, proxies, count, "come back");
        }
    }

    private static void verifyWhileLinksOpen(Neighbours neighbours, ManyProxies proxies, int count, String what)
            throws Exception {
        CompletableFuture<Void> open =
                CompletableFuture.runAsync(() -> awaitLinks(proxies, count, Patience.ofSeconds(60)));
        neighbours.verify(count + " links " + what, () -> !open.isDone());
        open.get(60, TimeUnit.SECONDS);
    }

    private static void serve(int count) throws Exception {
        try (BrokerProcess broker = BrokerProcess.builder(BrokerLine.NEWEST)
                .withAgent()
                .property("slipstream.max.links", Integer.toString(Math.max(64, count)))
                .start()) {
            ProcessCost alone = atRest(broker);
            double cpuAlone = processors(broker);
            try (ManyProxies proxies = new ManyProxies(broker, count)) {
                long startNs = System.nanoTime();
                awaitLinks(proxies, count, Patience.ofSeconds(60));
                long openedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
                double cpu = processors(broker) - cpuAlone;
                ProcessCost links = atRest(broker).since(alone);

                broker.kill9();
                broker.restart();
                long servedNs = System.nanoTime();
                ProcessCost served = ProcessCost.of(broker.pid());
                ProcessCost ownBefore = ProcessCost.of(ProcessHandle.current().pid());
                awaitLinks(proxies, count, Patience.ofSeconds(60));
                long backMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - servedNs);
                double cpuMs = ProcessCost.of(broker.pid()).since(served).cpuNs() / 1e6;
                double ownCpuMs = ProcessCost.of(ProcessHandle.current().pid())
                                .since(ownBefore)
                                .cpuNs()
                        / 1e6;
                System.out.printf(
                        "%d links in %d ms: %.1f KiB resident, %.1f descriptors, %.1f mappings for each;"
                                + " %.4f processors (%.4f without); %d ms after the broker's restart all are back;"
                                + " processor time of that: %.1f ms in the broker, %.1f ms in the proxies for each%n",
                        count,
                        openedMs,
                        links.residentBytes() / 1024.0 / count,
                        links.descriptors() / (double) count,
                        links.mappings() / (double) count,
                        cpu,
                        cpuAlone,
                        backMs,
                        cpuMs / count,
                        ownCpuMs / count);

                assertThat(links.residentBytes()).as("resident bytes").isLessThanOrEqualTo(count * BYTES_PER_LINK);
                assertThat(cpu).as("processors").isLessThanOrEqualTo(MOST_PROCESSORS);
                assertThat(proxies.fencesAbandoned())
                        .as("links that did not end in time")
                        .isZero();
                assertThat(opened(broker))
                        .as("set-ups since the restart: one that fails is made again")
                        .isLessThanOrEqualTo(count + count / 10);
                assertThat(backMs).as("ms until all links are back").isLessThanOrEqualTo(Patience.ms(10_000));
            }
        }
    }

    private static long opened(BrokerProcess broker) {
        try (PluginCounts counts = PluginCounts.of(broker)) {
            return counts.get("LINKS_OPENED");
        }
    }

    private static void awaitLinks(ManyProxies proxies, int count, Duration patience) {
        boolean up = Deadline.after(patience).await(() -> {
            proxies.requestLinks();
            return proxies.linksUp() == count;
        });
        assertThat(up).as("%d of %d links are up", proxies.linksUp(), count).isTrue();
    }

    /** After a garbage collection: the broker's own garbage is not what links cost. */
    private static ProcessCost atRest(BrokerProcess broker) throws Exception {
        collectGarbage(broker);
        return ProcessCost.of(broker.pid());
    }

    private static void collectGarbage(BrokerProcess broker) throws Exception {
        Process jcmd = new ProcessBuilder("jcmd", Long.toString(broker.pid()), "GC.run")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(jcmd.waitFor(30, TimeUnit.SECONDS)).as("jcmd ends").isTrue();
    }

    /** Returns how many processors the broker uses while nobody asks it anything: the least of some windows. */
    private static double processors(BrokerProcess broker) throws Exception {
        long leastNs = Long.MAX_VALUE;
        for (int i = 0; i < WINDOWS; i++) {
            ProcessCost before = ProcessCost.of(broker.pid());
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(IDLE_S));
            leastNs =
                    Math.min(leastNs, ProcessCost.of(broker.pid()).since(before).cpuNs());
        }
        return (double) leastNs / TimeUnit.SECONDS.toNanos(IDLE_S);
    }
}
