// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A proxy is stopped in the middle of a READ while its regions are withdrawn. Nobody waits for it. */
@Timeout(60)
class StoppedReaderTest {
    /** Waiting for each of them for a second would take longer than the deadline of a Locate. */
    private static final int REGIONS = 12;

    private static final int REGISTERED_BYTES = 1 << 20;

    private final ReadsFixture fixture = new ReadsFixture(2 * REGIONS, REGISTERED_BYTES);
    private ReadsFixture.Link stopped;
    private ReadsFixture.Link other;

    @TempDir
    private Path directory;

    @BeforeEach
    void open() throws Exception {
        stopped = fixture.link(slot -> {});
        other = fixture.link(slot -> {});
        for (int i = 0; i < REGIONS; i++) {
            fixture.serve(new ScriptedLog(topic(i)), new ScriptedSegment(directory, i, 5000), -1);
            assertThat(stopped.locate(ReadsFixture.session(1), topic(i)).error())
                    .isEqualTo(ControlError.NONE);
        }
        stopped.peer().stopInside(true);
    }

    @AfterEach
    void close() throws Exception {
        fixture.close();
    }

    private static String topic(int number) {
        return "topic-" + number;
    }

    @Test
    void shouldServeOthersAndGiveTheChargeBackWhenTheReaderContinues() throws Exception {
        stopped.reads().sessionClosed(ReadsFixture.session(1));
        serveOthersForLeases();
        assertThat(fixture.reads.registeredBytes()).as("charged to both").isGreaterThan(REGIONS * 4096L);

        stopped.peer().stopInside(false);

        await().atMost(Duration.ofSeconds(10)).until(() -> fixture.reads.registeredBytes() == 4096);
    }

    @Test
    void shouldServeOthersAndGiveTheChargeBackWhenTheReaderEnds() throws Exception {
        stopped.reads().close();
        serveOthersForLeases();
        stopped.reads().freed.toCompletableFuture().get(10, TimeUnit.SECONDS);
        assertThat(fixture.reads.registeredBytes()).as("charged to both").isGreaterThan(REGIONS * 4096L);

        stopped.peer().close();

        await().atMost(Duration.ofSeconds(10)).until(() -> fixture.reads.registeredBytes() == 4096);
    }

    @Test
    void shouldTakeRightsAwayFromOthersWithinALease() throws Exception {
        stopped.reads().sessionClosed(ReadsFixture.session(1));
        ControlResponse.Locate granted = other.locate(ReadsFixture.session(2), topic(0));
        serveOthersForLeases();

        fixture.denied.put("principal-2", true);

        await().pollInSameThread()
                .atMost(Duration.ofSeconds(5))
                .until(() -> other.slot(granted.slot()).isRevoked());
    }

    /** Long enough for the regions of the stopped reader to be deregistered. */
    private void serveOthersForLeases() throws Exception {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(5L * ReadsFixture.LEASE_MS);
        while (System.nanoTime() - endNs < 0) {
            // Fails after 10 s.
            assertThat(other.locate(ReadsFixture.session(2), topic(0)).error()).isEqualTo(ControlError.NONE);
        }
    }
}
