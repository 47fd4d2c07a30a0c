// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.rdma.CompletionStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads of segments by a link whose device pins registered memory. */
class PinnedWindowsTest {
    private static final int ACTIVE = -1;
    private static final int WINDOW = ReadsFixture.WINDOW_BYTES;
    private static final int SEGMENT_BYTES = 10 * WINDOW;

    private final long seed = Long.getLong("slipstream.seed", System.nanoTime());
    private final ReadsFixture fixture = new ReadsFixture(4, 4L * WINDOW);
    private final ScriptedLog cars = new ScriptedLog("cars");
    private final byte[] content = new byte[SEGMENT_BYTES];
    private ScriptedSegment segment;
    private ReadsFixture.Link link;

    @TempDir
    private Path directory;

    @BeforeEach
    void open() throws Exception {
        System.out.println("seed " + seed);
        new Random(seed).nextBytes(content);
        segment = new ScriptedSegment(directory, 0, 0);
        link = fixture.pinnedLink();
    }

    @AfterEach
    void close() throws Exception {
        fixture.close();
    }

    /** Sets the size of the segment's content. */
    private void grow(int sizeBytes) throws IOException {
        int held = segment.sizeBytes();
        byte[] more = java.util.Arrays.copyOfRange(content, held, sizeBytes);
        Files.write(segment.file(), more, StandardOpenOption.APPEND);
    }

    private ControlResponse.Locate locate(int session, int position, int batchBytes, int sealedBytes) throws Exception {
        fixture.outcomes.put("cars", new Located(cars, segment, position, batchBytes, sealedBytes));
        return link.locate(ReadsFixture.session(session), "cars");
    }

    private void verifyReadable(RemoteMemory window, int from, int to) {
        byte[] expected = java.util.Arrays.copyOfRange(content, from, to);
        byte[] found = new byte[to - from];
        link.peer().read(window, from, to - from).get(0, found);
        assertThat(ByteBuffer.wrap(found)).isEqualTo(ByteBuffer.wrap(expected));
    }

    @Test
    void shouldNameAWindowByPositionsInTheSegment() throws Exception {
        grow(SEGMENT_BYTES);
        ControlResponse.Locate located = locate(1, 100_000, 500, SEGMENT_BYTES);

        int start = 100_000 - 100_000 % SegmentWindow.PAGE_BYTES;
        assertThat(located.position()).isEqualTo(100_000);
        assertThat(located.segment().lengthBytes()).isEqualTo(start + WINDOW);
        verifyReadable(located.segment(), 100_000, start + WINDOW);
        assertThat(fixture.reads.registeredBytes()).isEqualTo(WINDOW);
        assertThat(link.peer().tryRead(located.segment(), start + WINDOW - 10, 11))
                .as("beyond the window")
                .isEqualTo(CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldReadAWholeSegmentWindowByWindowWithinTheBudget() throws Exception {
        grow(SEGMENT_BYTES);
        int position = 0;
        int locates = 0;
        RemoteMemory held = null;
        while (position < SEGMENT_BYTES) {
            ControlResponse.Locate located = locate(1, position, 1000, SEGMENT_BYTES);
            assertThat(located.error()).as(located.message()).isEqualTo(ControlError.NONE);
            locates++;
            if (held != null && held.rkey() != located.segment().rkey()) {
                link.reads().releaseSegment(new ControlRequest.ReleaseSegment(1, held.rkey()));
                // Another thread deregisters it.
                await().atMost(Duration.ofSeconds(10)).until(() -> fixture.reads.registeredBytes() <= WINDOW);
            }
            held = located.segment();
            // A last batch that the window truncates is read again from the next window.
            int end = (int) Math.min(SEGMENT_BYTES, held.lengthBytes());
            int whole = end == SEGMENT_BYTES ? end : end - 700;
            verifyReadable(held, position, whole);
            position = whole;
        }
        assertThat(locates).isBetween(10, 12);
        await().atMost(Duration.ofSeconds(10)).until(() -> fixture.reads.registeredBytes() <= WINDOW);
    }

    @Test
    void shouldShareAWindowAmongSessionsAsLongAsItServesThem() throws Exception {
        grow(SEGMENT_BYTES);
        ControlResponse.Locate first = locate(1, 0, 1000, SEGMENT_BYTES);
        ControlResponse.Locate near = locate(2, WINDOW / 4, 1000, SEGMENT_BYTES);
        ControlResponse.Locate atItsEnd = locate(2, WINDOW - 100, 1000, SEGMENT_BYTES);
        ControlResponse.Locate back = locate(2, 0, 1000, SEGMENT_BYTES);

        assertThat(near.segment()).isEqualTo(first.segment());
        assertThat(atItsEnd.segment().rkey()).isNotEqualTo(first.segment().rkey());
        assertThat(back.segment()).as("below the second window, in the first").isEqualTo(first.segment());
        verifyReadable(atItsEnd.segment(), WINDOW - 100, WINDOW + 900);
        assertThat(fixture.reads.registeredBytes()).isEqualTo(2L * WINDOW);
    }

    @Test
    void shouldFollowAnActiveSegmentByLocatingAnew() throws Exception {
        assertThat(locate(1, 0, 0, ACTIVE).segment()).as("nothing to register").isEqualTo(RemoteMemory.NONE);
        grow(1000);
        ControlResponse.Locate first = locate(1, 0, 1000, ACTIVE);
        assertThat(first.segment().lengthBytes()).isEqualTo(4096);
        verifyReadable(first.segment(), 0, 1000);

        grow(4000);
        ControlResponse.Locate samePage = locate(2, 1000, 3000, ACTIVE);
        assertThat(samePage.segment()).as("the rest of the page has filled").isEqualTo(first.segment());
        verifyReadable(samePage.segment(), 1000, 4000);

        grow(20_000);
        ControlResponse.Locate grown = locate(1, 4000, 16_000, ACTIVE);
        assertThat(grown.generation()).isEqualTo(first.generation());
        assertThat(grown.segment().rkey()).isNotEqualTo(first.segment().rkey());
        assertThat(grown.segment().lengthBytes()).isEqualTo(20_480);
        verifyReadable(grown.segment(), 4000, 20_000);
        assertThat(fixture.reads.registeredBytes()).as("pages, not the file").isEqualTo(4096 + 20_480);
    }

    @Test
    void shouldRegisterABatchThatIsLargerThanAWindow() throws Exception {
        grow(SEGMENT_BYTES);
        ControlResponse.Locate located = locate(1, 5000, 3 * WINDOW, SEGMENT_BYTES);

        verifyReadable(located.segment(), 5000, 5000 + 3 * WINDOW);
    }

    @Test
    void shouldRefuseOneProxyAndTakeNothingFromItForAnother() throws Exception {
        grow(SEGMENT_BYTES);
        List<ControlResponse.Locate> held = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            held.add(locate(1, i * 2 * WINDOW, 1000, SEGMENT_BYTES));
        }
        ControlResponse.Locate refused = locate(1, 7 * WINDOW, 1000, SEGMENT_BYTES);
        assertThat(refused.error()).isEqualTo(ControlError.LIMIT);
        assertThat(refused.message()).contains("slipstream.registered.bytes");

        fixture.serve(new ScriptedLog("bikes"), new ScriptedSegment(directory, 0, 4096), ACTIVE);
        ReadsFixture.Link newcomer = fixture.pinnedLink();
        assertThat(newcomer.locate(ReadsFixture.session(2), "bikes").error()).isEqualTo(ControlError.NONE);
        for (ControlResponse.Locate each : held) {
            assertThat(link.slot(each.slot()).isRevoked()).isFalse();
        }

        link.reads()
                .releaseSegment(new ControlRequest.ReleaseSegment(
                        1, held.get(0).segment().rkey()));
        await().pollInSameThread()
                .atMost(Duration.ofSeconds(10))
                .until(() -> locate(1, 7 * WINDOW, 1000, SEGMENT_BYTES).error() == ControlError.NONE);
    }

    @Test
    void shouldRegisterAnewAfterTheLogWasCut() throws Exception {
        grow(20_000);
        ControlResponse.Locate before = locate(1, 0, 1000, ACTIVE);

        // A truncation as by the broker, between the two calls of its hook.
        LogEvents.revoked(cars.identity(), "truncateTo");
        assertThat(link.slot(before.slot()).isRevoked()).isTrue();
        ControlResponse.Locate between = locate(1, 0, 1000, ACTIVE);
        assertThat(between.segment().rkey()).isNotEqualTo(before.segment().rkey());
        LogEvents.revoked(cars.identity(), "truncateTo");

        assertThat(link.slot(between.slot()).isRevoked())
                .as("granted during the truncation")
                .isTrue();
        ControlResponse.Locate after = locate(1, 0, 1000, ACTIVE);
        assertThat(after.segment().rkey())
                .isNotEqualTo(before.segment().rkey())
                .isNotEqualTo(between.segment().rkey());
        await().atMost(Duration.ofSeconds(10)).until(() -> fixture.reads.registeredBytes() == 20_480);
        verifyReadable(after.segment(), 0, 20_000);
    }

    @Test
    void shouldLeaveReadersOnTcpWhereRegisteringFails() throws Exception {
        grow(20_000);
        link.peer().pinning().failure = new IOException("ibv_reg_mr: ENOMEM, raise RLIMIT_MEMLOCK");

        ControlResponse.Locate refused = locate(1, 0, 1000, ACTIVE);
        assertThat(refused.error()).isEqualTo(ControlError.NOT_READABLE);
        assertThat(refused.message()).contains("RLIMIT_MEMLOCK");
        assertThat(fixture.reads.registeredBytes()).isZero();

        link.peer().pinning().failure = null;
        verifyReadable(locate(1, 0, 1000, ACTIVE).segment(), 0, 20_000);
    }
}
