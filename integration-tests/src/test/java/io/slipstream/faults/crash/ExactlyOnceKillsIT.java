// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.checker.Checker;
import io.slipstream.checker.Report;
import io.slipstream.history.HistoryFile;
import io.slipstream.history.Recorder;
import io.slipstream.history.RunEvent.FaultBegun;
import io.slipstream.history.RunEvent.FaultEnded;
import io.slipstream.it.Seed;
import io.slipstream.it.Thorough;
import io.slipstream.it.clients.RequestShares;
import io.slipstream.process.Checkout;
import io.slipstream.process.Deadline;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/**
 * Proxy and broker are killed in the middle of transactional copies, a Streams job and consumer groups. Stock Kafka's
 * promise holds: every record is copied once and in order, groups read every record, and all go by RDMA again.
 */
@EnabledIf(value = "io.slipstream.it.Thorough#drawsFirst", disabledReason = "not drawn in this build")
@Timeout(value = 8, unit = TimeUnit.MINUTES)
class ExactlyOnceKillsIT {
    private static final int KILLS = Thorough.isAsked() ? 12 : 3;
    private static final Duration PATIENCE = Patience.ofSeconds(60);

    private static final List<String> TRANSACTIONAL = List.of("PRODUCE", "TXN_OFFSET_COMMIT", "END_TXN");
    private static final List<String> CARRIED = List.of(
            "PRODUCE",
            "FETCH",
            "TXN_OFFSET_COMMIT",
            "END_TXN",
            "OFFSET_COMMIT",
            "HEARTBEAT",
            "CONSUMER_GROUP_HEARTBEAT");

    @Test
    void shouldCopyExactlyOnceAndReturnToRdma(@TempDir Path state) throws Exception {
        CrashCampaign.silenceClients();
        CrashPlan plan = CrashPlan.usual(KILLS);
        CrashSchedule schedule = schedule(plan);
        // Failed rounds stay here.
        Path directory = Files.createDirectories(Checkout.root().resolve("integration-tests/target/kills"));
        CrashEvidence evidence = new CrashEvidence(directory, plan, schedule.seed());
        try (Recorder recorder = HistoryFile.create(evidence.history());
                CrashDeployment deployment = CrashDeployment.start(plan, schedule)) {
            try (ExactlyOnceClients clients = new ExactlyOnceClients(deployment, schedule.seed(), recorder, state)) {
                kill(deployment, schedule, clients, recorder);
                RequestShares afterwards = afterwards(deployment.proxies().get(0));
                clients.finish();
                afterwards.assertByRdma(CARRIED);
            } finally {
                evidence.keep(deployment.logs(), deployment.broker().logDirectory());
            }
        }
        Report report = Checker.check(HistoryFile.open(evidence.history()));
        System.out.print(report.text());
        assertThat(report.counts()).as(report.text()).isEmpty();
        assertThat(report.unproven()).as("claimed invariants without facts").isEmpty();
        evidence.delete();
    }

    private static void kill(
            CrashDeployment deployment, CrashSchedule schedule, ExactlyOnceClients clients, Recorder recorder) {
        ProxyProcess proxy = deployment.proxies().get(0);
        Load load = new Load(clients::acknowledged, deployment.proxies());
        long startNs = recorder.nowNs();
        for (Kill kill : schedule.kills()) {
            if (kill.warm()) {
                awaitByRdma(proxy, TRANSACTIONAL, proxy.metrics());
            }
            load.watch(kill.delayMs(), kill.atPeak());
            long killNs = recorder.nowNs();
            recorder.record(new FaultBegun(
                    killNs, kill.number() - 1, "kill", kill.victim().label()));
            strike(deployment, kill);
            recorder.record(new FaultEnded(recorder.nowNs(), kill.number() - 1));
            System.out.printf(
                    "seed %d, kill %d at %.1f s: %s, up again after %.1f s%n",
                    schedule.seed(), kill.number(), (killNs - startNs) / 1e9, kill, (recorder.nowNs() - killNs) / 1e9);
        }
    }

    /** Returns the requests of a while that begins when every client uses RDMA again. */
    private static RequestShares afterwards(ProxyProcess proxy) {
        MetricSamples before = awaitByRdma(proxy, CARRIED, proxy.metrics());
        return RequestShares.between(before, awaitByRdma(proxy, CARRIED, before));
    }

    /** Kills both, in the middle of transactions, through one proxy. */
    private static CrashSchedule schedule(CrashPlan plan) {
        return LongStream.iterate(Seed.ofRun(), seed -> seed + 1)
                .mapToObj(plan::schedule)
                .filter(schedule -> schedule.proxies() == 1
                        && schedule.recoversLoad()
                        && schedule.kills().stream()
                                .anyMatch(kill -> kill.warm() && kill.victim().strikesProxy()))
                .findFirst()
                .orElseThrow();
    }

    private static void strike(CrashDeployment deployment, Kill kill) {
        Strike strike = new Strike(deployment, kill);
        strike.kill();
        Strike.pause(kill.downMs());
        if (kill.victim().strikesBroker()) {
            deployment.broker().relaunch();
        }
        strike.startProxy();
        strike.awaitBroker();
    }

    /** Waits until RDMA carried another request of each of these APIs. */
    private static MetricSamples awaitByRdma(ProxyProcess proxy, List<String> apis, MetricSamples before) {
        MetricSamples[] now = {before};
        boolean carried = Deadline.after(PATIENCE).await(() -> {
            now[0] = proxy.metrics();
            return apis.stream().allMatch(api -> byRdma(now[0], api) > byRdma(before, api));
        });
        assertThat(carried)
                .as("RDMA carries each of %s: %s", apis, RequestShares.between(before, now[0]))
                .isTrue();
        return now[0];
    }

    private static long byRdma(MetricSamples samples, String api) {
        return samples.count("slipstream_requests_total", "api", api, "path", "rdma");
    }
}
