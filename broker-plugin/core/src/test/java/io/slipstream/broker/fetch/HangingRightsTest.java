// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.broker.session.BoundSession;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A log or the authorizer does not answer. Rights are taken away all the same, or no reader trusts its slots. */
@Timeout(60)
class HangingRightsTest {
    private static final int LOCATES = 400;

    private final ReadsFixture fixture = new ReadsFixture(4, 1 << 20);
    private final CountDownLatch gate = new CountDownLatch(1);
    private ReadsFixture.Link link;
    private ControlResponse.Locate granted;

    @TempDir
    private Path directory;

    @BeforeEach
    void open() throws Exception {
        link = fixture.link(slot -> {});
        for (String topic : new String[] {"good", "bad"}) {
            fixture.serve(new ScriptedLog(topic), new ScriptedSegment(directory, 0, 5000), -1);
        }
        granted = link.locate(ReadsFixture.session(1), "good");
        assertThat(granted.error()).isEqualTo(ControlError.NONE);
    }

    @AfterEach
    void close() throws Exception {
        gate.countDown();
        fixture.close();
    }

    private static void awaitThat(Callable<Boolean> condition) {
        await().pollInSameThread().atMost(Duration.ofSeconds(10)).until(condition);
    }

    private CompletableFuture<ControlResponse.Locate> locateBad() {
        return locateBad(ReadsFixture.session(2));
    }

    private CompletableFuture<ControlResponse.Locate> locateBad(BoundSession session) {
        fixture.hangingLogs.put("bad", gate);
        return link.reads()
                .locate(session, new ControlRequest.Locate(1, 2, Uuid.ZERO_UUID, "bad", 0, 0, -1, -1))
                .toCompletableFuture();
    }

    @Test
    void shouldLocateOthersWhileALogHangs() throws Exception {
        CompletableFuture<ControlResponse.Locate> located = locateBad();

        assertThat(link.locate(ReadsFixture.session(3), "good").error()).isEqualTo(ControlError.NONE);

        assertThat(located).isNotDone();
        gate.countDown();
        assertThat(located.get(10, TimeUnit.SECONDS).error()).isEqualTo(ControlError.NONE);
    }

    @Test
    void shouldAskAgainOnlyAfterACheckOfAllRights() throws Exception {
        BoundSession session = ReadsFixture.session(4);
        int before = fixture.asked.get();
        for (int i = 0; i < LOCATES; i++) {
            assertThat(link.locate(session, "good").error()).isEqualTo(ControlError.NONE);
        }
        assertThat(fixture.asked.get() - before)
                .as("questions of %d Locates", LOCATES)
                .isLessThan(LOCATES / 2);

        fixture.denied.put("principal-4", true);

        awaitThat(() -> link.locate(session, "good").error() == ControlError.NOT_READABLE);
        assertThat(link.locate(session, "good").error()).isEqualTo(ControlError.NOT_READABLE);
    }

    @Test
    void shouldNotRememberAnAnswerFromBeforeTheLastCheck() throws Exception {
        BoundSession session = ReadsFixture.session(2);
        CompletableFuture<ControlResponse.Locate> located = locateBad(session);
        awaitThat(() -> fixture.hung.get() == 1);
        fixture.denied.put("principal-1", true);
        fixture.denied.put("principal-2", true);
        awaitThat(() -> link.slot(granted.slot()).isRevoked());

        gate.countDown();

        assertThat(located.get(10, TimeUnit.SECONDS).error()).isEqualTo(ControlError.NONE);
        assertThat(link.locate(session, "bad").error()).isEqualTo(ControlError.NOT_READABLE);
    }

    @Test
    void shouldTakeRightsAwayWhileALogHangs() throws Exception {
        CompletableFuture<ControlResponse.Locate> located = locateBad();

        fixture.denied.put("principal-1", true);

        awaitThat(() -> link.slot(granted.slot()).isRevoked());
        assertThat(located).isNotDone();
        gate.countDown();
        assertThat(located.get(10, TimeUnit.SECONDS).error()).isEqualTo(ControlError.NONE);
    }

    @Test
    void shouldWithholdHeartbeatsWhileTheAuthorizerHangs() {
        MeterRegistry meters = new PluginMeters().registry;
        fixture.reads.meter(meters);
        fixture.hangingRights.put("good", gate);
        awaitThat(() -> meters.value(PluginMeter.HEARTBEATS_WITHHELD) > 0);

        long before = link.header().heartbeat();
        long withheld = meters.value(PluginMeter.HEARTBEATS_WITHHELD);
        awaitThat(() -> meters.value(PluginMeter.HEARTBEATS_WITHHELD) > withheld + 2);
        assertThat(link.header().heartbeat()).isEqualTo(before);

        gate.countDown();
        awaitThat(() -> link.header().heartbeat() != before);
    }
}
