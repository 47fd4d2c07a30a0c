// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.PathCounts;
import java.util.List;
import org.junit.jupiter.api.Test;

class SecurityResultTest {
    private static final String REFUSAL = "TopicAuthorizationException";
    private static final PathCounts BY_RDMA = new PathCounts(95, 0, 5, 0);
    private static final PathCounts BY_TCP = new PathCounts(94, 0, 6, 0);
    private static final Attempt REFUSED = new Attempt("intruder produces", REFUSAL, REFUSAL, REFUSAL);
    private static final Withdrawal TAKEN = new Withdrawal("sensors loses WRITE", 7, BY_RDMA, 3, REFUSAL);

    @Test
    void shouldBeTightIfAllWereRefused() {
        assertThat(result(REFUSED, 0, 0, TAKEN).isTight(true)).isTrue();
    }

    @Test
    void shouldNotBeTightIfOneGotInOnEitherWay() {
        assertThat(result(new Attempt("a", REFUSAL, REFUSAL, "not refused"), 0, 0, TAKEN)
                        .isTight(true))
                .isFalse();
        assertThat(result(new Attempt("a", REFUSAL, "not refused", REFUSAL), 0, 0, TAKEN)
                        .isTight(true))
                .isFalse();
    }

    @Test
    void shouldNotBeTightIfOneWasStoppedByAnythingElse() {
        assertThat(result(new Attempt("a", REFUSAL, REFUSAL, "TimeoutException"), 0, 0, TAKEN)
                        .isTight(true))
                .isFalse();
    }

    @Test
    void shouldNotBeTightIfRecordsMoved() {
        assertThat(result(REFUSED, 1, 0, TAKEN).isTight(true)).isFalse();
        assertThat(result(REFUSED, 0, 1, TAKEN).isTight(true)).isFalse();
    }

    @Test
    void shouldNotBeTightIfLeaveStayed() {
        Withdrawal never = new Withdrawal("a", 7, BY_RDMA, -1, REFUSAL);
        Withdrawal otherwise = new Withdrawal("a", 7, BY_RDMA, 3, "IllegalStateException");

        assertThat(result(REFUSED, 0, 0, never).isTight(true)).isFalse();
        assertThat(result(REFUSED, 0, 0, otherwise).isTight(true)).isFalse();
    }

    @Test
    void shouldAskForRdmaWhereItIsInUse() {
        Withdrawal overTcp = new Withdrawal("a", 7, BY_TCP, 3, REFUSAL);

        assertThat(result(REFUSED, 0, 0, overTcp).isTight(true)).isFalse();
        assertThat(result(REFUSED, 0, 0, overTcp).isTight(false)).isTrue();
        assertThat(SecurityResult.isEnough(BY_RDMA)).isTrue();
        assertThat(SecurityResult.isEnough(BY_TCP)).isFalse();
        assertThat(SecurityResult.isEnough(PathCounts.NONE)).isFalse();
    }

    private static SecurityResult result(Attempt attempt, long written, long read, Withdrawal withdrawal) {
        return new SecurityResult(List.of(attempt), written, read, List.of(withdrawal));
    }
}
