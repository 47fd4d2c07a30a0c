// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.control.AbortedTransaction;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.ControlResponse.ListAborted;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AbortedAnswersTest {
    private static final AbortedTransaction ONE = new AbortedTransaction(7, 2, 4, -1);

    private final ReadsFixture fixture = new ReadsFixture(4, 1 << 20);
    private final ScriptedLog log = new ScriptedLog("cars");
    private ReadsFixture.Link link;
    private ControlResponse.Locate granted;

    @TempDir
    private Path directory;

    @BeforeEach
    void grant() throws Exception {
        fixture.serve(log, new ScriptedSegment(directory, 0, 1000), -1);
        link = fixture.link(slot -> {});
        granted = link.locate(ReadsFixture.session(1), "cars");
    }

    @AfterEach
    void close() throws Exception {
        fixture.close();
    }

    private ListAborted ask() throws Exception {
        return link.listAborted(ReadsFixture.session(1), granted, 0);
    }

    @Test
    void shouldBeCompleteToTheStableOffsetOfBeforeTheSearch() throws Exception {
        log.inSegment = new AbortedInSegment(Long.MAX_VALUE, true, List.of(ONE));
        log.beforeSearch = () -> log.abortTransaction(20);
        ListAborted answer = ask();
        assertThat(answer.transactions()).containsExactly(ONE);
        assertThat(answer.completeTo()).isEqualTo(10);
        assertThat(answer.completeToBytes()).isEqualTo(100);
        assertThat(answer.whole()).isTrue();
        assertThat(answer.abortedCount())
                .as("the one that came during the search may be missing")
                .isZero();
        assertThat(link.slot(granted.slot()).abortedCount()).isEqualTo(1);
    }

    @Test
    void shouldBeCompleteToTheEndOfASegmentThatIsDecided() throws Exception {
        log.inSegment = new AbortedInSegment(10, true, List.of(ONE));
        assertThat(ask().completeTo()).isEqualTo(Long.MAX_VALUE);
        assertThat(ask().completeToBytes()).isEqualTo(Integer.MAX_VALUE);
        log.inSegment = new AbortedInSegment(11, true, List.of(ONE));
        assertThat(ask().completeTo()).as("its last offset is not decided").isEqualTo(10);
    }

    @Test
    void shouldSayHowFarAPartOfASegmentReaches() throws Exception {
        log.inSegment = new AbortedInSegment(6, false, List.of(ONE));
        ListAborted answer = ask();
        assertThat(answer.completeTo()).isEqualTo(6);
        assertThat(answer.whole()).isFalse();
    }

    @Test
    void shouldLeaveOutThoseThatBeganLastAndKeepTheOrderOfTheRest() throws Exception {
        List<AbortedTransaction> many = new ArrayList<>();
        for (int i = 0; i < ListAborted.MOST_TRANSACTIONS + 50; i++) {
            many.add(new AbortedTransaction(i, i, 5000 - i, -1));
        }
        Collections.reverse(many);
        log.inSegment = new AbortedInSegment(Long.MAX_VALUE, true, many);
        log.move(state -> {
            state.highWatermark = 9000;
            state.lastStableOffset = 9000;
        });
        ListAborted answer = ask();
        assertThat(answer.transactions()).isEqualTo(many.subList(50, many.size()));
        assertThat(answer.completeTo()).isEqualTo(ListAborted.MOST_TRANSACTIONS);
        assertThat(answer.whole()).isFalse();
    }

    @Test
    void shouldRefuseWhenTheLogIsRevokedDuringTheSearch() throws Exception {
        log.beforeSearch = () -> LogEvents.logChangeBegins(log.identity(), "replaceSegments");
        assertThat(ask().error()).isEqualTo(ControlError.UNKNOWN_HANDLE);
        LogEvents.logChangeEnded(log.identity(), "replaceSegments");
    }

    @Test
    void shouldRefuseASlotThatWasGrantedWhileTheFilesAreChanged() throws Exception {
        LogEvents.logChangeBegins(log.identity(), "replaceSegments");
        LogEvents.logChangeBegins(log.identity(), "close");
        granted = link.locate(ReadsFixture.session(1), "cars");
        assertThat(granted.error()).isEqualTo(ControlError.NONE);
        LogEvents.logChangeEnded(log.identity(), "close");
        granted = link.locate(ReadsFixture.session(1), "cars");
        assertThat(ask().error()).isEqualTo(ControlError.NOT_READABLE);
        LogEvents.logChangeEnded(log.identity(), "replaceSegments");
        assertThat(ask().error()).as("revoked").isEqualTo(ControlError.UNKNOWN_HANDLE);
        granted = link.locate(ReadsFixture.session(1), "cars");
        assertThat(ask().error()).isEqualTo(ControlError.NONE);
    }

    @Test
    void shouldAnswerOnlySessionsThatHoldTheSlotInThatGeneration() throws Exception {
        assertThat(link.listAborted(ReadsFixture.session(2), granted, 0).error())
                .isEqualTo(ControlError.UNKNOWN_HANDLE);
        ControlRequest.ListAborted older =
                new ControlRequest.ListAborted(1, 1, granted.slot(), granted.generation() - 1, 0, 0);
        assertThat(link.reads().listAborted(older).toCompletableFuture().get().error())
                .isEqualTo(ControlError.UNKNOWN_HANDLE);
    }

    @Test
    void shouldRefuseASegmentThatIsGone() throws Exception {
        log.inSegment = null;
        assertThat(ask().error()).isEqualTo(ControlError.NOT_READABLE);
    }
}
